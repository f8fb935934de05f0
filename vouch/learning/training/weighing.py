"""From labels to lists with the weights that they have in a fit: positions corrected, persons and days capped."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeVar

from vouch.access import PUBLIC
from vouch.learning.labels.label import Label
from vouch.learning.labels.propensity import correct, estimate, looks_of
from vouch.learning.labels.weights import cap_influence, cap_weights
from vouch.learning.models.fusion_model import Formula
from vouch.learning.training.contradiction import BESIDE, Learn, Scores
from vouch.learning.training.fusion_training import ENGINE_FEATURES, fit_terms
from vouch.learning.training.label_places import Places, Row, places_of
from vouch.learning.training.labeled_lists import LabeledList, labeled_lists

T = TypeVar("T")
Weigh = Callable[[Sequence[Label]], Sequence[Label]]
"""Gives labels the weights that they have in the fit: caps of persons and days, correction of positions."""


@dataclass(frozen=True, slots=True)
class Shares:
    """The most that one person and one day may hold, that a place may multiply, that one may hold by judgments, and
    the loudest fifth of the people together; and by how many standard errors one's votes may contradict others'."""

    person: float
    day: float
    clip: float
    judge: float = 1.0
    loudest: float = 1.0
    contradiction: float = math.inf


@dataclass(frozen=True)
class Material:
    """`recorded` are candidates by answer, `searched` by key of the question; by answer also who asked (`askers`),
    and which positions a draw had `swapped`."""

    labels: Sequence[Label]
    recorded: Mapping[str, Sequence[Row]]
    searched: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    askers: Mapping[str, str] = field(default_factory=dict)
    swapped: Mapping[str, Sequence[int]] = field(default_factory=dict)


def weigher(material: Material, shares: Shares) -> Weigh:
    """Corrects positions first and caps afterwards, so that no correction lifts anybody over a cap.

    How likely each place is looked at is estimated from the very labels that
    are weighed, and the answers they are about.
    """

    def weigh(labels: Sequence[Label]) -> Sequence[Label]:
        ordered = sorted(labels, key=lambda label: label.key)
        answers = {label.answer_id for label in ordered if label.answer_id}
        propensities = estimate(looks_of(ordered, _of(material.recorded, answers), _of(material.swapped, answers)))
        corrected = correct(ordered, propensities, shares.clip)
        capped = cap_weights(
            corrected, person_share=shares.person, day_share=shares.day, loudest_share=shares.loudest)
        return cap_influence(
            capped, person_share=shares.person, day_share=shares.day, judge_share=shares.judge,
            loudest_share=shares.loudest)

    return weigh


def _of(rows: Mapping[str, T], answers: set[str]) -> dict[str, T]:
    return {name: rows[name] for name in sorted(answers) if name in rows}


def weighed_lists(
    labels: Sequence[Label], material: Material, weigh: Weigh
) -> tuple[list[LabeledList], Counter[str]]:
    """With the weights that labels have in the fit, and how many had no part, by reason.

    What has no place among the candidates is left out before anything is weighed: caps are shares of what counts.
    """
    weighed, places, nowhere = _weighed(labels, material, weigh)
    lists, left_out = labeled_lists(weighed, places)
    return lists, nowhere + left_out


def _weighed(
    labels: Sequence[Label], material: Material, weigh: Weigh
) -> tuple[Sequence[Label], Places, Counter[str]]:
    named = [_named(label, material.askers) for label in labels]
    places, nowhere = places_of(named, material.recorded, material.searched)
    return weigh([label for label in named if label.key in places]), places, nowhere


def _named(label: Label, askers: Mapping[str, str]) -> Label:
    """Who asked stands behind what was cited for them; the public is nobody in particular."""
    asker = askers.get(label.answer_id or "", PUBLIC)
    return label if label.person or asker == PUBLIC else replace(label, person=asker)


def heard(
    labels: Iterable[Label], unheard: frozenset[str], askers: Mapping[str, str]
) -> list[Label]:
    """All but what these people did, and what was cited for them; their judgments stay, which are somebody's work and
    bounded by themselves."""
    return [label for label in labels if label.source == "judged" or _named(label, askers).person not in unheard]


def learner(labels: Sequence[Label], material: Material, shares: Shares) -> Learn:
    """Fits what all but some people said, once all is weighed so that no fifth of the people has much."""
    once = cache(lambda: _weighed(labels, material, weigher(material, replace(shares, loudest=BESIDE))))

    def learn(without: frozenset[str]) -> Scores | None:
        weighed, places, _ = once()
        lists, _ = labeled_lists([label for label in weighed if label.person not in without], places)
        telling = [one for ranked in lists if (one := ranked.known(ranked.key)).weight > 0]
        terms = fit_terms(telling, ENGINE_FEATURES) if telling else {}
        return Formula(terms).scores if terms else None

    return learn
