"""What the index holds of a document and of nothing else, and which terms it still knows afterwards."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexers.purging.inventory import Content, Inventory, StoredCopy
from indexers.segments.segment import Segment
from indexers.storage import map_array, map_bytes
from vouch.documents.fingerprints import Fingerprints, pieces


def terms_left(home: Path, terms: Collection[str]) -> Iterator[tuple[str, int]]:
    """Each file that holds some of `terms`, and how many."""
    wanted = {term.encode() for term in terms}
    for path in sorted((home / "segments").glob("*/terms.bin")) if wanted else ():
        ends = map_array(path.with_name("term_ends.i8")).tolist()
        blob = bytes(map_bytes(path))
        count = len(wanted.intersection(blob[start:end] for start, end in pairwise(ends)))
        if count:
            yield str(path.relative_to(home)), count


@dataclass(frozen=True)
class Residue:
    """`fingerprints` may still hold pieces of text that other documents share; `others` yields what those hold."""

    fingerprints: Fingerprints
    kept_keys: frozenset[bytes]         # of the rows that stay, in any kept version
    staying: tuple[StoredCopy, ...]

    def others(self) -> Iterator[bytes]:
        """Text and facts of every document that stays."""
        for holding in self.staying:
            entry = holding.part.entry(holding.number)
            yield entry.text
            yield entry.facts


def remains_of(holdings: Inventory, contents: Collection[Content]) -> Residue:
    leaving = [h for h in holdings.documents if h.content in contents]
    staying = [h for h in holdings.documents if h.kept and h.content not in contents]
    needed = needed_serials(holdings, contents)
    segments = [(segment, np.isin(segment.serials, needed)) for segment in holdings.segments.values()]
    kept_keys: set[bytes] = set().union(*(_bytes(np.asarray(s.keys)[mask]) for s, mask in segments))
    keys: set[bytes] = set().union(*(_bytes(np.asarray(s.keys)[~mask]) for s, mask in segments))
    ids: set[str] = set().union(*(h.ids for h in leaving)) - set().union(*(h.ids for h in staying))
    fingerprints = Fingerprints(
        pieces=frozenset(_pieces(leaving)),
        ids=frozenset(ids),
        keys=frozenset(keys - kept_keys),
        vectors=frozenset(_vectors(segments)),
        terms=frozenset(_terms(segments)),
    )
    return Residue(fingerprints, frozenset(kept_keys), tuple(staying))


def needed_serials(holdings: Inventory, contents: Collection[Content]) -> NDArray[np.int64]:
    """Serials of the rows of all documents but `contents`, in any kept version, ascending."""
    stay = [h.serials for h in holdings.documents if h.kept and h.content not in contents]
    return np.unique(np.concatenate([np.empty(0, np.int64), *stay]))


Masked = list[tuple[Segment, NDArray[np.bool_]]]        # segments with the rows that stay


def _vectors(segments: Masked) -> set[bytes]:
    """Vectors of rows that leave and of none that stays."""
    held = [(segment.vectors.all().astype("<f2"), mask) for segment, mask in segments if not mask.all()]
    leaving = set().union(*(_bytes(vectors[~mask]) for vectors, mask in held))
    for segment, mask in segments if leaving else ():
        leaving -= _bytes(segment.vectors.all().astype("<f2")[mask])
    return leaving


def _terms(segments: Masked) -> set[str]:
    """Terms that rows hold that leave, and none that stays."""
    leaving: set[bytes] = set()
    staying: set[bytes] = set()
    for segment, mask in segments:
        postings = segment.postings
        lengths = np.diff(postings.offsets)
        in_staying_rows = np.zeros(len(lengths), np.bool_)
        in_staying_rows[np.repeat(np.arange(len(lengths)), lengths)[mask[postings.rows]]] = True
        names = np.array(postings.terms(), object)
        leaving.update(names[~in_staying_rows])
        staying.update(names[in_staying_rows])
    return {term.decode() for term in leaving - staying}


def _bytes(rows: NDArray[np.generic]) -> set[bytes]:
    return {row.tobytes() for row in rows}


def _pieces(leaving: Collection[StoredCopy]) -> Iterator[str]:
    for holding in {holding.content: holding for holding in leaving}.values():
        record = holding.part.stored(holding.number).record
        sections = {" > ".join(chunk.section) for chunk in record.chunks}
        for text in (holding.part.text(holding.number), record.title, record.reason, *sections):
            yield from pieces(text)
