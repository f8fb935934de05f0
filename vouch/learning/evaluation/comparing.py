"""Two configurations compared question by question, over the questions that both were asked.

The difference of a share is the mean difference of its questions, with a
percentile interval over questions that are drawn again (a paired bootstrap):
what is hard for both adds nothing to it. That of the AUC is drawn likewise.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from vouch.answering.answer import Action
from vouch.errors import BadInput
from vouch.learning.collections.golden import GoldenQuestion, Graded
from vouch.learning.evaluation.golden_retrieval import Places
from vouch.learning.statistics.metrics import auc, paired_interval

DRAWS = 500


@dataclass(frozen=True, slots=True)
class Kept:
    """What of a question's outcome figures are made of."""

    action: Action
    quoted: bool
    best: float
    places: Places

    def as_row(self) -> dict[str, Any]:
        """JSON-ready; `kept_of` reads it."""
        return {"action": self.action, "quoted": self.quoted, "best": self.best, "places": self.places}


def kept(graded: Graded, places: Places) -> Kept:
    return Kept(graded.action, graded.quoted, graded.best, places)


def kept_of(row: Mapping[str, Any]) -> Kept:
    """Raises KeyError, TypeError or ValueError for what is none."""
    action, places = row["action"], {order: row["places"][order] for order in ("fused", "final")}
    if action not in get_args(Action):
        raise ValueError(f"'action' is {action!r}")
    if not all(place is None or (isinstance(place, int) and place > 0) for place in places.values()):
        raise ValueError(f"'places' is {places!r}")
    return Kept(action, bool(row["quoted"]), float(row["best"]), places)


_ANSWERABLE: Mapping[str, Callable[[Kept], bool]] = {
    "cited": lambda one: one.quoted and one.action == "answered",
    "shown": lambda one: one.quoted,
    "declined": lambda one: one.action == "declined",
    "fused R@5": lambda one: (one.places["fused"] or 6) <= 5,
    "final R@5": lambda one: (one.places["final"] or 6) <= 5,
}
_UNANSWERABLE: Mapping[str, Callable[[Kept], bool]] = {
    "answered": lambda one: one.action == "answered" and not one.quoted,
    "declined": lambda one: one.action == "declined",
}


def compared(
    questions: Sequence[GoldenQuestion], mine: Mapping[str, Kept], theirs: Mapping[str, Kept]
) -> dict[str, Any]:
    """By id. Each figure of both, and what `mine` has more. Raises BadInput if no question is in both."""
    both = [golden for golden in questions if golden.id in mine and golden.id in theirs]
    if not both:
        raise BadInput("the two have no question in common", cure="compare evaluations of the same questions, by id")
    there, absent = ([golden for golden in both if golden.answerable is answerable] for answerable in (True, False))
    figures: dict[str, Any] = {"questions": len(both)}
    for name, some, measures in (("answerable", there, _ANSWERABLE), ("unanswerable", absent, _UNANSWERABLE)):
        if some:
            rows = [(mine[golden.id], theirs[golden.id]) for golden in some]
            figures[name] = {"questions": len(rows), **{what: _share(of, rows) for what, of in measures.items()}}
    if there and absent:
        labels = np.array([float(golden.answerable) for golden in both])
        scores = np.array([(mine[golden.id].best, theirs[golden.id].best) for golden in both])
        figures["auc"] = _auc(labels, scores)
    return figures


def _share(of: Callable[[Kept], bool], rows: Sequence[tuple[Kept, Kept]]) -> dict[str, Any]:
    values = np.array([(float(of(a)), float(of(b))) for a, b in rows])
    low, high = paired_interval(values[:, 0] - values[:, 1])
    return _told(float(values[:, 0].mean()), float(values[:, 1].mean()), low, high)


def _auc(labels: "np.ndarray[Any, Any]", scores: "np.ndarray[Any, Any]") -> dict[str, Any]:
    random = np.random.default_rng(0)
    drawn = random.integers(0, len(labels), (DRAWS, len(labels)))
    more = [auc(labels[rows], scores[rows, 0]) - auc(labels[rows], scores[rows, 1]) for rows in drawn]
    low, high = np.nanquantile(more, [0.025, 0.975])
    return _told(auc(labels, scores[:, 0]), auc(labels, scores[:, 1]), float(low), float(high))


def _told(mine: float, theirs: float, low: float, high: float) -> dict[str, Any]:
    return {"this": round(mine, 4), "against": round(theirs, 4), "difference": round(mine - theirs, 4),
            "difference_interval": [round(low, 4), round(high, 4)]}
