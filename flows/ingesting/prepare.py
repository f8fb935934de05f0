"""From changes to records with vectors: load, parse, chunk, embed. What was quarantined is tried again."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from flows.shared.components import IngestComponents
from indexers.building.changes import model_inputs
from indexers.publishing.index_store import OpenVersion
from indexers.segments.segment import input_key
from indexers.versions.version import GENERATION
from vouch.adapters.sources.folder.source import NO_HASH
from vouch.documents.chunk import Chunk, chunk_id
from vouch.documents.document import Change, Content, DocumentRecord
from vouch.errors import Busy, LedgerDown, Unreadable, Vanished, VouchError
from vouch.ports.ingestion import Scan

_KEY = "limits"                         # stands in the version beside the source's own cursor


def own_cursor(base: OpenVersion | None, source: str) -> dict[str, Any]:
    """The cursor as the source gave it."""
    return {key: value for key, value in _held(base, source).items() if key not in (_KEY, GENERATION)}


def offer_again(scan: Scan, base: OpenVersion | None, source: str, limits: str, *, whole: bool = True) -> Scan:
    """`scan`, and an upsert for each document that `base` holds as quarantined if that was not under `limits`.

    The cursor then says `limits`. If nothing else moves it keeps what it said,
    so that other limits alone publish no version. A scan that is not `whole`
    offers nothing.
    """
    before = _held(base, source).get(_KEY)
    offered = _quarantined(base, source, scan) if whole and before != limits else []
    changes = tuple(sorted((*scan.changes, *offered), key=lambda change: change.path))
    noted_limits = limits if whole and (changes or base is None) else before
    return replace(
        scan,
        changes=changes,
        cursor=dict(scan.cursor) if noted_limits is None else {**scan.cursor, _KEY: noted_limits},
        unchanged=scan.unchanged - len(offered),
    )


def _quarantined(base: OpenVersion | None, source: str, scan: Scan) -> list[Change]:
    touched = {path for change in scan.changes for path in (change.path, change.old_path)}
    held = [
        document.path
        for document in (base.documents() if base else ())
        if document.source == source and document.state == "quarantined" and document.path not in touched
    ]
    records = [record for path in held if base and (record := base.record(source, path))]
    return [Change("upsert", record.path, record.hash, changed_at=record.changed_at) for record in records]


def _held(base: OpenVersion | None, source: str) -> Mapping[str, Any]:
    return base.cursor(source) if base else {}


BATCH = 512                             # texts: some sixteen passes, of which only the last is not full


def inputs(records: Iterable[DocumentRecord]) -> dict[bytes, str]:
    """Key → exact encoder input of every chunk, equal inputs once."""
    found: dict[bytes, str] = {}
    for record in records:
        for text in model_inputs(record):
            found.setdefault(input_key(text), text)
    return found


def missing_inputs(
    components: IngestComponents, records: Iterable[DocumentRecord], coming: Collection[bytes] = ()
) -> Iterator[tuple[list[bytes], list[str]]]:
    """Batches of (keys, texts) for which the cache holds no vector and none is `coming`."""
    wanted = inputs(records)
    missing = [key for key in components.vectors.missing(list(wanted)) if key not in coming]
    # Texts of about equal length share a form of pass, so that little of it is padding.
    rest = iter(sorted(missing, key=lambda key: (len(wanted[key]), key)))
    while keys := list(islice(rest, BATCH)):
        yield keys, [wanted[key] for key in keys]


def embed_missing(
    components: IngestComponents, records: Iterable[DocumentRecord], progress: Callable[[int, int], None]
) -> int:
    """How many inputs were embedded now; afterwards the cache holds a vector for every chunk of `records`."""
    batches = list(missing_inputs(components, records))
    total = sum(len(keys) for keys, _ in batches)
    progress(0, total)
    done = 0
    for keys, texts in batches:
        components.vectors.put(keys, components.encoder().passages(texts))
        done += len(keys)
        progress(done, total)
    return done


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
    document = components.parser.take_apart(source, content, size=limits.chunk_tokens, overlap=limits.chunk_overlap)
    return DocumentRecord(
        source,
        change.path,
        content.hash,
        "indexed",
        title=document.title,
        text=document.text,
        chunks=document.chunks,
        narrowed=document.narrowed,
        changed_at=content.changed_at,
        url=content.url,
        owners=document.owners,
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
