"""From changes to records: load, parse, chunk. What cannot be read becomes a quarantined record."""

from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from flows.shared.components import IngestComponents
from indexers.publishing.index_store import OpenVersion
from vouch.adapters.sources.folder.source import NO_HASH
from vouch.documents.chunk import Chunk, chunk_id
from vouch.documents.document import Change, Content, DocumentRecord
from vouch.errors import Busy, LedgerDown, Unreadable, Vanished, VouchError

OF_ALL = (LedgerDown, Busy)             # no single source's fault


@dataclass(frozen=True)
class Prepared:
    """A record for the next version and, if the document moved, where it was."""

    record: DocumentRecord
    old_path: str | None = None


class SourceFailed(Exception):
    """It was scanned, and now nothing can be read of it: nothing is known of its documents. Holds the cause."""

    def __init__(self, cause: VouchError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def prepare(components: IngestComponents, base: OpenVersion | None, source: str, change: Change) -> Prepared:
    """The record of an upsert or rename. A rename is neither read nor parsed again, if it was readable before.

    Raises SourceFailed if it is the source that cannot be read.
    """
    if change.operation == "rename" and change.old_path is not None:
        former = base.record(source, change.old_path) if base else None
        if former is not None and former.state == "indexed" and _same_kind(change.old_path, change.path):
            return Prepared(_moved(former, change.path), change.old_path)
    try:
        return Prepared(_read(components, source, change), change.old_path)
    except Unreadable as error:
        digest = NO_HASH if isinstance(error, Vanished) else change.hash    # with the old one it could not come back
        record = DocumentRecord(
            source, change.path, digest, "quarantined", reason=str(error), changed_at=change.changed_at
        )
        return Prepared(record, change.old_path)


def _same_kind(old: str, new: str) -> bool:
    return PurePosixPath(old).suffix.lower() == PurePosixPath(new).suffix.lower()


def _read(components: IngestComponents, source: str, change: Change) -> DocumentRecord:
    content = _load(components, source, change)
    limits = components.limits
    found = components.parser.take_apart(source, content, size=limits.chunk_tokens, overlap=limits.chunk_overlap)
    return DocumentRecord(
        source,
        change.path,
        content.hash,
        "indexed",
        title=found.title,
        text=found.text,
        chunks=found.chunks,
        narrowed=found.narrowed,
        changed_at=content.changed_at,
        url=content.url,
        owners=found.owners,
    )


def _load(components: IngestComponents, source: str, change: Change) -> Content:
    try:
        return components.sources[source].load(change)
    except (Unreadable, *OF_ALL):
        raise
    except VouchError as error:
        raise SourceFailed(error) from error


def _moved(former: DocumentRecord, path: str) -> DocumentRecord:
    """`former` at `path`: chunk ids are made of the new place, everything else stays."""
    seen: dict[tuple[tuple[str, ...], str], int] = {}
    chunks: list[Chunk] = []
    for chunk in former.chunks:
        words = former.text[chunk.start : chunk.end]
        occurrence = seen.get((chunk.section, words), 0)
        seen[chunk.section, words] = occurrence + 1
        chunks.append(replace(chunk, id=chunk_id(former.source, path, chunk.section, words, occurrence)))
    return replace(former, path=path, chunks=tuple(chunks))
