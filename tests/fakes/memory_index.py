"""An index of a few passages in memory: the whole Index port without files, for examples, tests and trying models.

The formulas are those of the served engines: BM25 with Lucene's idf over the
visible rows and a constant reference length, exact inner product, ties by
chunk id.
"""

import copy
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from vouch.access import Audience, Directory, Label
from vouch.documents.chunk import indexed_input
from vouch.errors import Denied
from vouch.filters import EVERYTHING, Filters
from vouch.ports.index import Readable
from vouch.ports.models import Analyser, Encoder, Vector
from vouch.values.candidate import Hit, Listed, Passage, Statistics

K1, B = 1.2, 0.75


@dataclass
class MemoryIndex:
    """Passages with a label each. `labels` may be changed at any time and counts at once; views keep what they saw."""

    passages: Sequence[Passage]
    labels: dict[str, Label]
    encoder: Encoder
    analyser: Analyser
    version: int = 1
    epoch: int = 1
    dates: dict[str, datetime] = field(default_factory=dict)    # by path, when a document changed
    owners: dict[str, tuple[str, ...]] = field(default_factory=dict)    # by path, who looks after a document
    directory: Directory = field(default_factory=Directory)
    reference_length: float = 120.0
    terms: Mapping[str, Counter[str]] = field(init=False)
    vectors: Mapping[str, Vector] = field(init=False)

    def __post_init__(self) -> None:
        inputs = [indexed_input(p.section, p.text, p.header, injection=p.injection) for p in self.passages]
        self.terms = {p.chunk_id: Counter(self.analyser.terms(t)) for p, t in zip(self.passages, inputs, strict=True)}
        vectors = self.encoder.passages(inputs)
        self.vectors = {p.chunk_id: vectors[n] for n, p in enumerate(self.passages)}

    def view(self, audience: Audience, filters: Filters = EVERYTHING) -> "MemoryView":
        return MemoryView(self, [p for p in self.passages if self._may_read(audience, p.chunk_id)
                                 and filters.places(p.source, p.path) and filters.dates(self.dates.get(p.path))
                                 and filters.owned(self.owners.get(p.path, ()))])

    def visible(self, audience: Audience, chunk_ids: Sequence[str]) -> set[str]:
        return {one for one in chunk_ids if self._may_read(audience, one)}

    def visible_to(self, readers: Sequence[str], chunk_ids: Sequence[str]) -> Readable:
        audience = self.directory.audience(readers)
        return Readable(self.visible(audience, chunk_ids), audience, self.view(audience))

    def has_version(self) -> bool:
        return True

    def _may_read(self, audience: Audience, chunk_id: str) -> bool:
        label = self.labels.get(chunk_id)
        return label is not None and audience.may_read(label)


class MemoryView:
    """The rows one audience saw when the view was made."""

    notes: tuple[str, ...] = ()

    def __init__(self, index: MemoryIndex, rows: Sequence[Passage]) -> None:
        self._index = index
        self._rows = {p.chunk_id: p for p in sorted(rows, key=lambda p: p.chunk_id)}
        self.version = index.version
        self.epoch = index.epoch

    def narrowed(self, filters: Filters) -> "MemoryView":
        twin = copy.copy(self)
        twin._rows = {one: p for one, p in self._rows.items() if filters.places(p.source, p.path)
                      and filters.dates(self._index.dates.get(p.path)) and filters.owned(())}
        return twin

    def lexical(self, terms: Sequence[str], top: int) -> list[Hit]:
        statistics = self.statistics(terms)
        return self._best({one: self._bm25(one, terms, statistics) for one in self._rows}, top, above=0.0)

    def dense(self, vector: Vector, top: int) -> list[Hit]:
        return self._best({one: float(self._index.vectors[one] @ vector) for one in self._rows}, top, above=-math.inf)

    def statistics(self, terms: Iterable[str]) -> Statistics:
        counts = {t: sum(t in self._index.terms[one] for one in self._rows) for t in dict.fromkeys(terms)}
        return Statistics(len(self._rows), counts)

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        if any(one not in self._rows for one in chunk_ids):
            raise Denied("a chunk does not exist or is not visible", cure="search again")
        return [self._rows[one] for one in chunk_ids]

    def starting(self, digits: str) -> list[str]:
        return sorted(one for one in self._rows if one.startswith(digits))

    def around(self, chunk_id: str, before: int, after: int) -> list[str]:
        document = self._document(chunk_id)
        at = document.index(chunk_id)
        return document[max(at - before, 0) : at] + document[at + 1 : at + 1 + after]

    def of_document(self, source: str, path: str) -> list[str]:
        own = [p for p in self._rows.values() if (p.source, p.path) == (source, path)]
        return [p.chunk_id for p in sorted(own, key=lambda p: p.ordinal)]

    def documents(self, after: tuple[str, str], most: int) -> list[Listed]:
        titles = {(p.source, p.path): p.title for p in self._rows.values()}
        flagged = {(p.source, p.path) for p in self._rows.values() if p.injection}
        return [Listed(*place, titles[place], place in flagged) for place in sorted(titles) if place > after][:most]

    def same_section(self, chunk_id: str) -> list[str]:
        section = self._rows[chunk_id].section
        return [one for one in self._document(chunk_id) if one != chunk_id and self._rows[one].section == section]

    def _document(self, chunk_id: str) -> list[str]:
        [passage] = self.passages([chunk_id])
        place = (passage.source, passage.path)
        rows = [p for p in self._rows.values() if (p.source, p.path) == place]
        return [p.chunk_id for p in sorted(rows, key=lambda p: p.ordinal)]

    def _bm25(self, chunk_id: str, terms: Sequence[str], statistics: Statistics) -> float:
        counts = self._index.terms[chunk_id]
        norm = K1 * (1 - B + B * counts.total() / self._index.reference_length)
        score = 0.0
        for term in terms:
            frequency = statistics.frequency[term]
            idf = math.log(1 + (statistics.rows - frequency + 0.5) / (frequency + 0.5))
            score += idf * counts[term] / (counts[term] + norm)
        return score

    @staticmethod
    def _best(scores: Mapping[str, float], top: int, *, above: float) -> list[Hit]:
        hits = [Hit(one, score) for one, score in scores.items() if score > above]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:top]
