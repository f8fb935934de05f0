"""What one document may cost. Beyond any of these it is quarantined and the run goes on."""

from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version

from vouch.adapters.parsers.registry import MOST_PAGES

RULES = "parsing-2"                     # raised when this code can read what it could not read before
MOST_CHARACTERS = 20_000_000            # of text; compressed files can hold far more than their size
MOST_PASSAGES = 50_000
SMALL_TEXT = 64 * 1024                  # bytes; the worst that so little Markdown or text can cost is about a second
_PARSERS = (
    *("charset-normalizer", "defusedxml", "lxml", "markdown-it-py", "openpyxl", "pypdf", "python-docx", "python-pptx"),
    *("striprtf", "trafilatura"),
)


@dataclass(frozen=True, slots=True)
class ParsingLimits:
    """`seconds` are the child's processor time; it may live `PATIENCE` times as long, for the machine may be busy."""

    seconds: float = 9.0
    memory_mb: int = 512
    pages: int = MOST_PAGES
    document_bytes: int = 20_000_000

    @property
    def fingerprint(self) -> str:
        """Changes whenever a document that was quarantined might be read now."""
        parts = [RULES, *(f"{limit} {value:g}" for limit, value in asdict(self).items())]
        parts += [f"{name} {_version(name)}" for name in _PARSERS]
        return sha256("; ".join(parts).encode()).hexdigest()[:16]


PATIENCE = 3


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
