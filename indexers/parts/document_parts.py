"""A part: an immutable folder with the documents one publish changed or removed.

Opening a part reads its headers and chunk arrays; facts and text of a
document are read when asked for.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from indexers.parts.records import StoredDocument, decode_record
from indexers.segments.segment import by_id, id_halves
from indexers.storage import Folder, map_array, map_bytes, write_array, write_folder
from vouch.documents.manifest import FolderEntry

Place = tuple[str, str]                 # source, path
ENTRY_BYTES = 100                       # about what a place costs in a part besides facts, text and chunks
_CHUNK_BYTES = 24


@dataclass(frozen=True, slots=True)
class Header:
    """A document without its text; `chunks` is how many it has."""

    source: str
    path: str
    hash: str
    state: Literal["indexed", "quarantined"]
    title: str
    narrowed: frozenset[str] | None
    reason: str
    chunks: int
    injections: int = 0                 # of the chunks, how many read as orders to a language model
    owners: frozenset[str] = frozenset()                # whom its own text states

    @property
    def place(self) -> Place:
        return self.source, self.path


@dataclass(frozen=True)
class Entry:
    """A document as a part takes it: header, stored facts and text, 16-byte chunk ids and row serials."""

    header: Header
    facts: bytes
    text: bytes
    ids: NDArray[np.uint8]              # (chunks, 16)
    serials: NDArray[np.int64]

    @property
    def weight(self) -> int:
        """Bytes it takes in a part, about."""
        return ENTRY_BYTES + len(self.facts) + len(self.text) + _CHUNK_BYTES * self.header.chunks


class Part:
    """What depends on the part alone is worked out once, whatever versions share it."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._superseded: WeakKeyDictionary[Part, NDArray[np.int64]] = WeakKeyDictionary()
        self._cancelled: WeakKeyDictionary[Part, frozenset[Place]] = WeakKeyDictionary()
        self._stored = lru_cache(maxsize=512)(self._read_stored)

    @cached_property
    def _table(self) -> dict[str, Any]:
        table: dict[str, Any] = json.loads(map_bytes(self.folder.file("documents.json"))[:])
        return table

    @cached_property
    def headers(self) -> list[Header]:
        return [_header(*row) for row in self._table["documents"]]

    @cached_property
    def removed(self) -> frozenset[Place]:
        return frozenset((source, path) for source, path in self._table["removed"])

    @cached_property
    def numbers(self) -> dict[Place, int]:
        """Place → number of the document in this part."""
        return {header.place: number for number, header in enumerate(self.headers)}

    def superseded(self, older: "Part") -> NDArray[np.int64]:
        """Numbers of the documents of an older part whose places this one fills anew or empties."""
        if older not in self._superseded:
            places = (self.numbers.keys() & older.numbers.keys()) | self.cancelled(older)
            self._superseded[older] = np.array(sorted(older.numbers[place] for place in places), np.int64)
        return self._superseded[older]

    def cancelled(self, older: "Part") -> frozenset[Place]:
        """Places of an older part that this one empties."""
        if older not in self._cancelled:
            self._cancelled[older] = self.removed & older.numbers.keys()
        return self._cancelled[older]

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """About how many bytes each document takes."""
        weights: NDArray[np.int64] = np.diff(self._text_ends) + np.diff(self._fact_ends)
        weights += ENTRY_BYTES - 1 + _CHUNK_BYTES * np.diff(self.firsts)        # a fact ends with a line break
        return weights

    @cached_property
    def ids(self) -> NDArray[np.uint8]:
        return map_array(self.folder.file("chunk_ids.u1")).reshape(-1, 16)

    @cached_property
    def serials(self) -> NDArray[np.int64]:
        return map_array(self.folder.file("chunk_serials.i8"))

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """Where each document's chunks begin in `ids` and `serials`; one more for the end."""
        return np.cumsum([0, *(h.chunks for h in self.headers)], dtype=np.int64)

    def find_chunks(self, ids: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The numbers in this part of the chunks with these 16-byte ids, −1 for those that are not in it."""
        order, highs, lows = self._by_id
        high, low = id_halves(ids)
        starts, ends = np.searchsorted(highs, high, "left"), np.searchsorted(highs, high, "right")
        found = np.full(len(ids), -1, np.int64)
        for n in np.flatnonzero(starts < ends):             # half an id decides almost always
            at = starts[n] + np.searchsorted(lows[starts[n] : ends[n]], low[n])
            if at < ends[n] and lows[at] == low[n]:
                found[n] = order[at]
        return found

    @cached_property
    def _by_id(self) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        return by_id(self.ids)

    def stored(self, number: int) -> StoredDocument:
        return self._stored(number)

    def text(self, number: int, first_byte: int = 0, end_byte: int | None = None) -> str:
        """The text of a document, or the bytes from `first_byte` to `end_byte` of it."""
        start, end = self._text_ends[number], self._text_ends[number + 1]
        run: bytes = self._texts[start + first_byte : end if end_byte is None else start + end_byte]
        return run.decode()

    def entry(self, number: int) -> Entry:
        chunks = slice(self.firsts[number], self.firsts[number + 1])
        text = self._texts[self._text_ends[number] : self._text_ends[number + 1]]
        return Entry(self.headers[number], self._fact_bytes(number), text, self.ids[chunks], self.serials[chunks])

    def _read_stored(self, number: int) -> StoredDocument:
        return decode_record(self._fact_bytes(number))

    def _fact_bytes(self, number: int) -> bytes:
        line: bytes = self._facts[self._fact_ends[number] : self._fact_ends[number + 1]]
        return line.rstrip(b"\n")

    @cached_property
    def _facts(self) -> Any:
        return map_bytes(self.folder.file("facts.jsonl"))

    @cached_property
    def _texts(self) -> Any:
        return map_bytes(self.folder.file("texts.bin"))

    @cached_property
    def _fact_ends(self) -> list[int]:
        return map_array(self.folder.file("fact_ends.i8")).tolist()  # type: ignore[no-any-return]

    @cached_property
    def _text_ends(self) -> list[int]:
        return map_array(self.folder.file("text_ends.i8")).tolist()  # type: ignore[no-any-return]


def _header(
    source: str, path: str, hash_: str, state: Literal["indexed", "quarantined"], title: str,
    narrowed: list[str] | None, reason: str, chunks: int, injections: int = 0,      # that and owners: not in all parts
    owners: Sequence[str] = (),
) -> Header:
    held = None if narrowed is None else frozenset(narrowed)
    return Header(source, path, hash_, state, title, held, reason, chunks, injections, frozenset(owners))


def raw_ids(ids: Iterable[str]) -> NDArray[np.uint8]:
    """Chunk ids of 32 hex digits as (n, 16) bytes."""
    return np.frombuffer(bytes.fromhex("".join(ids)), np.uint8).reshape(-1, 16)


def write_part(parent: Path, entries: Sequence[Entry], removed: Iterable[Place]) -> FolderEntry:
    """One new part: `entries` in order, and the places that hold no document any more."""
    gone = sorted(removed)

    def fill(folder: Path) -> None:
        documents = [_row(entry.header) for entry in entries]
        table = {"documents": documents, "removed": gone}
        (folder / "documents.json").write_text(json.dumps(table, ensure_ascii=False, separators=(",", ":")), "utf-8")
        write_array(folder / "chunk_ids.u1", np.concatenate([np.empty((0, 16), np.uint8), *(e.ids for e in entries)]))
        write_array(folder / "chunk_serials.i8", np.concatenate([np.empty(0, np.int64), *(e.serials for e in entries)]))
        _write_runs(folder, "facts.jsonl", "fact_ends.i8", [entry.facts + b"\n" for entry in entries])
        _write_runs(folder, "texts.bin", "text_ends.i8", [entry.text for entry in entries])

    return write_folder(parent, len(entries) + len(gone), fill)


def _write_runs(folder: Path, data: str, ends: str, runs: list[bytes]) -> None:
    (folder / data).write_bytes(b"".join(runs))
    write_array(folder / ends, np.cumsum([0, *map(len, runs)], dtype=np.int64))


def _row(header: Header) -> list[Any]:
    narrowed = None if header.narrowed is None else sorted(header.narrowed)
    return [header.source, header.path, header.hash, header.state, header.title, narrowed, header.reason,
            header.chunks, header.injections, *([sorted(header.owners)] if header.owners else [])]
