"""Words safe to show: without links of nobody's, mentions and characters that cannot be seen."""

import re
import unicodedata

_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)[^\s<>|\"'`)\]}]+", re.IGNORECASE)
_DOMAIN = re.compile(
    r"(?<![\w@./-])(?:[\w.+-]+@)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}(?:[/:?#][^\s<>|\"'`)\]}]*)?(?![\w@])",
    re.IGNORECASE,
)
_TARGET = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ANGLE = re.compile(r"<[!@#][^>\s]*(?:\|([^>]*))?>|<((?:[a-z][a-z0-9+.-]*:)[^>|]*)(?:\|([^>]*))?>", re.IGNORECASE)
_AT = re.compile(r"(?<![\w.+-])@(?=\w)")
_SPACE = re.compile(r"[ \t]{2,}")


def visible(text: str) -> str:
    """Without zero-width, bidirectional and control characters; line ends and tabs stay."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cf", "Cc", "Co", "Cs"))


def _trim(url: str) -> str:
    return url.rstrip(".,;:!?…*_")


def addresses(text: str) -> set[str]:
    """Every URL, bare domain and mail address in `text`."""
    return {_trim(match[0]) for pattern in (_URL, _DOMAIN) for match in pattern.finditer(text)}


def disarm(text: str, cited: str) -> str:
    """`text` with only such addresses as `cited` holds, and with nothing that a chat would turn into a mention."""
    allowed = addresses(visible(cited))

    def keep(match: re.Match[str]) -> str:
        url = _trim(match[0])
        return url + match[0][len(url):] if url in allowed else match[0][len(url):]

    def unwrap(match: re.Match[str]) -> str:
        return match[2] if match[2] and _trim(match[2]) in allowed else match[1] or match[3] or ""

    text = visible(text)
    before = None
    while text != before:               # taking something out may join its two sides into something new
        before = text
        text = _ANGLE.sub(unwrap, _TARGET.sub(r"\1", text))
        text = _AT.sub("", _DOMAIN.sub(keep, _URL.sub(keep, text)))
    return _SPACE.sub(" ", text).strip()
