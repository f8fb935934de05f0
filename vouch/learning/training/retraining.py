"""From a split of labels to a model with its figures and gates. The same labels and seed make the same bytes.

The figure is nDCG@10 over the candidates that something is known of, in the
order that a model gives them (condensed lists, Sakai 2007): an unlabeled
candidate is neither right nor wrong. Each question weighs what its labels do.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vouch.errors import NothingToLearn
from vouch.learning.models.fusion_model import FusionModel, FusionTerm
from vouch.learning.promotion.gates import Gate, at_least, golden_gate, refusal, two_worlds_gate, weights_gate
from vouch.learning.statistics.metrics import paired_interval
from vouch.learning.training.fusion_training import TERMS, JudgedCandidates, choose, fit_terms, ndcg, scores_by
from vouch.learning.training.training_report import left_out_line, training_report
from vouch.learning.training.training_split import Side, Split
from vouch.plurals import count
from vouch.retrieval.fusion_features import FEATURE_SCHEMA

FusionTerms = Mapping[str, FusionTerm] | None  # None: reciprocal ranks


@dataclass(frozen=True, slots=True)
class Least:
    """What a model needs at least, as the settings say; `loss` is what the lower end of an interval may show."""

    questions: int
    held_out: int
    askers: int
    labels: int
    loss: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """`figures` against each rival: questions, nDCG@10 of both, gain, its 95 % interval."""

    model: FusionModel
    figures: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Judged:
    """`model` says itself whether it may serve."""

    model: FusionModel
    report: dict[str, Any]

    @property
    def reason(self) -> str:
        return self.model.refused


def fit_split(split: Split, current: FusionTerms, *, seed: int, fingerprints: Mapping[str, str]) -> Fitted:
    """Raises NothingToLearn if no question has labels for and against any of its candidates."""
    train = split.train.lists
    if not train or split.until is None:
        raise _nothing_left(split)
    chosen = choose(train)
    terms = fit_terms(train, TERMS[chosen])
    if not terms:
        raise NothingToLearn("no feature tells one candidate from another", cure="label more questions: vouch label")
    model = FusionModel(
        feature_schema=FEATURE_SCHEMA, terms=terms, features=chosen, data=("labels",), seed=seed,
        trained_on=split.until.date().isoformat(), fingerprints={**fingerprints, "labels": split.digest},
    )
    rivals: dict[str, FusionTerms] = {"current": current, "reciprocal ranks": None}
    figures = {name: compared(terms, rival, split.test, seed) for name, rival in rivals.items()}
    return Fitted(model, figures)       # figures depend on what serves just now, and the model does not


def _nothing_left(split: Split) -> NothingToLearn:
    held, without = split.test.questions, left_out_line(split.left_out)
    if held:
        newest = f"what was first heard of after {split.border:%Y-%m-%d %H:%M} UTC and " if split.newest else ""
        return NothingToLearn(
            f"all that say something about an order, {count(held, 'question')}, are held out: {newest}a fifth of the "
            f"others; none is left to fit{without and '; ' + without}",
            cure="label more questions: vouch label; or set VOUCH_TRAINING__WEEKS_HELD_OUT lower")
    return NothingToLearn("no question has both passages that are labeled relevant and others that are labeled not"
                          f"{without and '; ' + without}",
                          cure="label some: vouch label; or let people vote for a while")


def compared(new: FusionTerms, former: FusionTerms, side: Side, seed: int) -> dict[str, Any]:
    """On the questions of one side."""
    if not side.lists:
        return {"questions": 0}
    weights = np.array([judged.weight for judged in side.lists])
    mine, theirs = (np.array([ndcg(judged, scores(terms, judged)) for judged in side.lists]) for terms in (new, former))
    low, high = paired_interval(mine - theirs, seed=seed, weights=weights, groups=[one.group for one in side.lists])
    mean, other = (float((of * weights).sum() / weights.sum()) for of in (mine, theirs))
    return {
        "questions": side.questions, "ndcg@10": round(mean, 4), "ndcg@10_rival": round(other, 4),
        "gain": round(mean - other, 4), "gain_interval": [round(low, 4), round(high, 4)],
    }


def scores(terms: FusionTerms, one: JudgedCandidates) -> Any:
    return np.array(one.reciprocal) if terms is None else scores_by(terms, one)


@dataclass(frozen=True, slots=True)
class GoldenLists:
    """Of the golden questions that find something that answers them; `unfound` counts the others, by reader."""

    lists: Sequence[JudgedCandidates] = ()
    unfound: Mapping[str, int] = field(default_factory=dict)
    public_only: bool = False


def answerable(asked: Iterable[tuple[str, JudgedCandidates]], *, public_only: bool) -> GoldenLists:
    """`asked` are the readers with what they find: of what answers nobody, no order is better than another."""
    found = list(asked)
    unfound = Counter(reader for reader, one in found if not any(one.relevance.values()))
    return GoldenLists([one for _, one in found if any(one.relevance.values())], unfound, public_only)


def not_worse(model: FusionModel, current: FusionTerms, golden: GoldenLists) -> Gate:
    return golden_gate(golden_gain(model.terms, current, golden.lists), len(golden.lists), unfound=golden.unfound,
                       public_only=golden.public_only)


def golden_gain(new: FusionTerms, current: FusionTerms, lists: Sequence[JudgedCandidates]) -> float | None:
    """Mean gain in nDCG@10 on questions with known answers; None without any."""
    if not lists:
        return None
    return round(float(np.mean([ndcg(one, scores(new, one)) - ndcg(one, scores(current, one)) for one in lists])), 4)


def judge(
    split: Split, fitted: Fitted, current: FusionTerms, least: Least, golden: GoldenLists, worlds: tuple[int, int],
) -> Judged:
    """`worlds`: how many scores differ between two worlds that must not, and how many were compared."""
    model, train = fitted.model, split.train
    gates = [
        at_least("questions", train.questions, least.questions),
        at_least("held out", split.test.questions, least.held_out),
        at_least("askers", train.people, least.askers),
        at_least("labels", len(train.labels), least.labels),
        *(at_least(f"against {'the current model' if rival == 'current' else rival}", _low(figures), -least.loss,
                   "lower end of the 95 % interval of the gain in nDCG@10")
          for rival, figures in fitted.figures.items()),
        not_worse(model, current, golden),
        weights_gate(model),
        two_worlds_gate(*worlds),
    ]
    refused = "; ".join(filter(None, (refusal(gates), _more(split, least))))
    report = training_report(split, model, fitted.figures, gates, current or {}, refused)
    return Judged(model.model_copy(update={"refused": refused}), report)


_LEAST_HELD_OUT, _MOST_HELD_OUT = 0.2, 0.4      # of all questions: a fifth, and of the newest quarter all


def _more(split: Split, least: Least) -> str:
    """About how many more questions would do, where there are too few; empty where there are enough."""
    fitted, held = split.train.questions, split.test.questions
    if fitted >= least.questions and held >= least.held_out:
        return ""
    share = min(max(held / (fitted + held), _LEAST_HELD_OUT), _MOST_HELD_OUT)
    more = math.ceil(max(least.held_out / share, least.questions / (1 - share))) - fitted - held
    return f"about {count(more, 'more question')} would do, since a part of all is held out" if more > 0 else ""


def _low(figures: Mapping[str, Any]) -> float | None:
    return figures["gain_interval"][0] if "gain_interval" in figures else None
