"""A labeled corpus as a source of Markdown documents, so that measuring takes the path of real documents."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vouch.adapters.data_files.public import BeirDocument
from vouch.documents.document import Change, Content, Skipped
from vouch.ports.ingestion import Scan


def document_id(path: str) -> str:
    """The corpus id of the document at `path`."""
    return path.removesuffix(".md")


class CorpusSource:
    """Each document once, its title as the heading. It knows no changes: it is scanned into an empty index."""

    def __init__(self, name: str, documents: Iterable[BeirDocument]) -> None:
        self.name = name
        self._data = {f"{d.id}.md": f"# {_line(d.title)}\n\n{d.text}\n".encode() for d in documents}

    def scan(
        self,
        known: Mapping[str, str],
        cursor: Mapping[str, Any],
        *,
        step: int | None = None,
        until: int | None = None,
        paths: Sequence[str] | None = None,
    ) -> Scan:
        changes = [
            Change("upsert", path, hashlib.sha256(data).hexdigest(), len(data))
            for path, data in sorted(self._data.items())
        ]
        fresh = tuple(c for c in changes if known.get(c.path) != c.hash)
        return Scan(fresh, (), {}, len(changes) - len(fresh), False, whole=True)

    def skipped(self) -> tuple[Skipped, ...]:
        return ()

    def load(self, change: Change) -> Content:
        return Content(change.path, self._data[change.path], change.hash)


def _line(title: str) -> str:
    return " ".join(title.split()) or "untitled"
