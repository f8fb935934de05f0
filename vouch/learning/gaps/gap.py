"""Gaps: what several people asked in vain, by groups of like meaning, and the documents nearest to it.

Nothing of a group that has fewer than a set number of askers is told. More
than that: questions that have no such number of askers among all that are
linked to them by likeness are dropped before anything is counted, grouped or
weighed, so that what is told is the same, byte for byte, with and without them.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest
from typing import Literal

import numpy as np

from vouch.learning.gaps.gap_groups import Cluster, Point, grouped, linked_enough
from vouch.learning.gaps.gap_titles import Titles
from vouch.ports.index import View
from vouch.ports.models import Analyse, Vector

_MOST_ALLOWED = 5
Why = Literal["declined", "voted down", "low confidence"]


@dataclass(frozen=True, slots=True)
class Unmet:
    """A question that was declined, voted down, or answered with low confidence. `text` is normalised."""

    text: str
    asker: str
    at: datetime
    why: Why
    example: bool = False               # the asker lets it be shown


@dataclass(frozen=True, slots=True)
class GapLimits:
    """A gap has at least so many different askers and questions; `alike` is the least cosine of linked questions.

    Of one person at most so many different `texts` of each period are looked at.
    """

    askers: int = 3
    questions: int = 3
    alike: float = 0.55
    texts: int = 200


@dataclass(frozen=True)
class Gap:
    """One group. `before`: its questions of the period before; None if fewer than the set number of askers asked.

    `title` holds words, and `examples` questions, that the set number of askers used; `allowed_examples` are
    questions that fewer used, of askers who let them be shown.
    """

    title: tuple[str, ...]
    questions: int
    askers: int
    why: Mapping[Why, int]
    before: int | None
    examples: tuple[str, ...]
    allowed_examples: tuple[str, ...]
    centre: Vector

    @property
    def trend(self) -> int | None:
        """How many questions more than in the period before; None where that is not told."""
        return None if self.before is None else self.questions - self.before


def newest(asked: Sequence[Unmet], turn: datetime, texts: int) -> list[Unmet]:
    """Of each person the so many texts asked last from `turn` on, and as many from before it, in the order given.

    What is kept of a person depends on that person's questions alone.
    """
    last: dict[tuple[str, bool], dict[str, datetime]] = defaultdict(dict)
    for unmet in asked:
        times = last[unmet.asker, unmet.at < turn]
        times[unmet.text] = max(unmet.at, times.get(unmet.text, unmet.at))
    kept_texts = {key: {text for _, text in nlargest(texts, ((at, text) for text, at in times.items()))}
                  for key, times in last.items()}
    return [unmet for unmet in asked if unmet.text in kept_texts[unmet.asker, unmet.at < turn]]


def find_gaps(
    asked: Sequence[Unmet],
    vectors: Mapping[str, Vector],
    turn: datetime,
    cluster: Cluster,
    terms: Analyse,
    limits: GapLimits,
) -> list[Gap]:
    """The gaps of the period from `turn` on, those of most askers first; earlier questions are the period before.

    `vectors` has one of unit length for each text. The order of `asked` does not matter.
    """
    by_text: dict[str, list[Unmet]] = {}
    for unmet in asked:
        by_text.setdefault(unmet.text, []).append(unmet)
    points = [Point(text, vectors[text], frozenset(unmet.asker for unmet in by_text[text])) for text in sorted(by_text)]
    linked = linked_enough(points, limits.alike, limits.askers)
    titles = Titles([unmet for point in linked for unmet in _since(by_text[point.text], turn)], terms, limits.askers)
    gaps = [
        _gap(group, by_text, turn, titles, limits)
        for group in grouped(linked, cluster, limits.alike, limits.askers, limits.questions)
    ]
    return sorted((gap for gap in gaps if gap is not None), key=lambda gap: (-gap.askers, -gap.questions, gap.title))


def _gap(
    group: Sequence[Point], by_text: Mapping[str, list[Unmet]], turn: datetime, titles: Titles, limits: GapLimits
) -> Gap | None:
    """None for a group that is too small in this period."""
    everything = [unmet for point in group for unmet in by_text[point.text]]
    now = _since(everything, turn)
    before = [unmet for unmet in everything if unmet.at < turn]
    if _askers(now) < limits.askers or len(now) < limits.questions or titles.is_language_alone(now):
        return None
    shared = _examples(now, limits.askers)
    return Gap(
        title=titles.of(now),
        questions=len(now),
        askers=_askers(now),
        why=dict(sorted(Counter(unmet.why for unmet in now).items())),
        before=len(before) if _askers(before) >= limits.askers else None,
        examples=shared,
        allowed_examples=_allowed([unmet for unmet in now if unmet.text not in shared]),
        centre=_centre(group),
    )


def _since(asked: Sequence[Unmet], turn: datetime) -> list[Unmet]:
    return [one for one in asked if one.at >= turn]


def _askers(asked: Sequence[Unmet]) -> int:
    return len({one.asker for one in asked})


def _examples(asked: Sequence[Unmet], askers: int) -> tuple[str, ...]:
    """What at least so many people asked in the same words, the most asked first."""
    by_text: dict[str, set[str]] = {}
    for one in asked:
        by_text.setdefault(one.text, set()).add(one.asker)
    shared = [text for text, people in by_text.items() if len(people) >= askers]
    return tuple(sorted(shared, key=lambda text: (-len(by_text[text]), text)))


def _allowed(asked: Sequence[Unmet]) -> tuple[str, ...]:
    """The newest of each asker who lets it be shown, and a few askers' at most; nothing tells who they are."""
    newest_of: dict[str, Unmet] = {}
    for one in sorted((one for one in asked if one.example), key=lambda one: (one.at, one.text)):
        newest_of[one.asker] = one
    last = nlargest(_MOST_ALLOWED, newest_of.values(), key=lambda one: (one.at, one.text))
    return tuple(sorted({one.text for one in last}))


def _centre(group: Sequence[Point]) -> Vector:
    mean = np.mean(np.array([point.vector for point in group], dtype=np.float64), axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12), dtype=np.float32)


_PASSAGES = 20                          # looked at for a few documents


@dataclass(frozen=True, slots=True)
class Document:
    source: str
    path: str
    title: str


def nearest_documents(view: View, meaning: Vector, most: int = 3) -> list[Document]:
    """By their nearest passage, the nearest first. `view` decides which there are: it is that of who is told."""
    hits = view.dense(meaning, _PASSAGES)
    passages = view.passages([hit.chunk_id for hit in hits])
    return list(dict.fromkeys(Document(one.source, one.path, one.title) for one in passages))[:most]
