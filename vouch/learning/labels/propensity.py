"""Position: how likely a reader looks at a place, estimated from what people saw, and what labels count then.

Readers look at the first places most. With p(k) the propensity of place k
and r the chance that what stands there helps, P(helpful) = p(k) · r, the
position-based model (Craswell, Zoeter, Taylor and Ramsey, WSDM 2008).
Propensities are relative to the first place, whose own is 1.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.learning.labels.label import Label
from vouch.learning.statistics.logistic import fit, newton_step, sigmoid
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA, in_order, usable_features

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Propensities = Mapping[int, float]

LEAST = 0.01                            # no place is looked at less
FEWEST = 25                             # helpful ones at each place of a swap, before it is believed
TINY = 1e-9
ROUNDS = 200
SETTLED = 1e-4
L2 = 1.0


@dataclass(frozen=True, slots=True)
class Looks:
    """What was shown to people who reacted, a row each: its place, the ranking's place for it, and if it helped.

    Places count from 1. `features` are what it was ranked by.
    """

    place: Places
    ranked: Places
    helpful: Floats
    features: Floats


def estimate(looks: Looks) -> dict[int, float]:
    """Propensity by place: from swaps where there are enough, else by regression; nothing if that is all unknown."""
    return from_swaps(looks) or by_regression(looks)


def from_swaps(looks: Looks) -> dict[int, float]:
    """Intervention harvesting between neighbors (Agarwal et al., WSDM 2019).

    p(k+1)/p(k) = Σ c(d, k+1) / Σ c(d, k) over d = k and k+1, with c(d, k) the share of helpful ones among what the
    ranking had put at d and stood at k: a draw decided which, so both places held equally good passages.
    Ends before the first pair that tells too little; nothing if that is the first.
    """
    propensities, position = {1: 1.0}, 1
    while ratio := _ratio(looks, position):
        propensities[position + 1] = float(np.clip(propensities[position] * ratio, LEAST, 1.0))
        position += 1
    return propensities if position > 1 else {}


def _ratio(looks: Looks, place: int) -> float:
    """p(place + 1) / p(place); 0 if too few of those that changed places helped."""
    share = np.zeros(2)
    for ranked in (place, place + 1):
        for at in (0, 1):
            helpful = looks.helpful[(looks.ranked == ranked) & (looks.place == place + at)]
            if not len(helpful) or (ranked != place + at and helpful.sum() < FEWEST):
                return 0.0
            share[at] += helpful.mean()
    return float(share[1] / share[0])


def by_regression(looks: Looks) -> dict[int, float]:
    """Regression-EM (Wang et al., WSDM 2018), with a logistic regression on the features for the chance of helping.

    Of what did not help, p(1-r)/(1-pr) was looked at and r(1-p)/(1-pr) would have helped. Nothing where fewer than
    two places, or no helpful ones at the first, tell. One step towards the regression is enough in each round
    (generalised EM: Dempster, Laird and Rubin, 1977).
    """
    places, row = np.unique(looks.place, return_inverse=True)
    if len(places) < 2 or places[0] != 1 or not looks.helpful[looks.place == 1].any():
        return {}
    rows, helpful, count = _standardised(looks.features), looks.helpful, np.bincount(row)
    propensities = 1.0 / places
    helps = np.full(len(row), helpful[row == 0].mean())
    weights: Floats | None = None
    for _ in range(ROUNDS):
        p, former = propensities[row], propensities
        neither = np.maximum(1 - p * helps, TINY)
        looked = np.where(helpful > 0, 1.0, p * (1 - helps) / neither)
        would_help = np.where(helpful > 0, 1.0, helps * (1 - p) / neither)
        propensities = np.clip(np.bincount(row, looked) / count, LEAST, 1.0)
        propensities[0] = 1.0
        weights = (fit(rows, would_help, l2=L2) if weights is None
                   else newton_step(rows, would_help, weights, l2=L2))
        helps = sigmoid(rows @ weights[:-1] + weights[-1])
        if float(np.abs(propensities - former).max()) < SETTLED:
            break
    return {int(position): float(value) for position, value in zip(places, propensities, strict=True)}


def _standardised(features: Floats) -> Floats:
    """Without what is the same everywhere."""
    scale = features.std(axis=0)
    telling = scale > TINY
    return np.asarray((features[:, telling] - features.mean(axis=0)[telling]) / scale[telling])


def correct(labels: Sequence[Label], propensities: Propensities, clip: float) -> list[Label]:
    """The labels in their order; a vote on what 1 in n readers looks at counts n times, at most `clip` times.

    So does behaviour that calls a passage relevant. The weak doubt of a rephrased question falls on all that was
    shown, looked at or not, and stays as it is, as do citations, judgments and labels without a position. A place
    of unknown propensity counts as the nearest known one before it; without any, as 1.
    """
    factor = {position: min(1 / _at(propensities, position), clip)
              for position in {label.position for label in labels if label.position is not None}}
    return [
        replace(label, weight=label.weight * factor[label.position])
        if label.position is not None and _looked_at(label) and factor[label.position] != 1 else label
        for label in labels
    ]


def _looked_at(one: Label) -> bool:
    return one.source == "vote" or (one.source == "behaviour" and one.relevance > 0)


def _at(propensities: Propensities, position: int) -> float:
    known = max((place for place in propensities if place <= position), default=None)
    return 1.0 if known is None else min(max(propensities[known], LEAST), 1.0)


REACTIONS = frozenset({"vote", "behaviour"})
Row = Mapping[str, Any]                 # a candidate as the ledger keeps it


def looks_of(
    labels: Sequence[Label], recorded: Mapping[str, Sequence[Row]], swapped: Mapping[str, Sequence[int]]
) -> Looks:
    """Of the answers that people reacted to, a row for each passage that the answer cites.

    Nobody saw what the writer was given and did not cite. `recorded` are the candidates by answer, `swapped` the two
    positions of the final order that its trace marks. A passage stood where the labels say, or else where the writer
    was given it; it helped if a vote or behaviour calls it relevant. Rows of another feature schema have no part.
    """
    helped: defaultdict[str, set[str]] = defaultdict(set)
    stood: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for label in labels:
        if label.answer_id and label.position is not None:
            stood[label.answer_id][label.chunk_id] = label.position
        if label.answer_id and label.source in REACTIONS:
            helped[label.answer_id].update([label.chunk_id] if label.relevance > 0 else [])
    records = [
        (position, ranked, row["chunk_id"] in helpful, in_order(row["features"]))
        for answer, helpful in sorted(helped.items())
        for row, position, ranked in _shown(recorded.get(answer, ()), stood[answer], swapped.get(answer, ()))
    ]
    position, ranked, helpful, features = zip(*records, strict=True) if records else ((), (), (), ())
    return Looks(
        np.array(position, dtype=np.int64), np.array(ranked, dtype=np.int64), np.array(helpful, dtype=np.float64),
        np.array(features, dtype=np.float64).reshape(len(records), len(FEATURE_NAMES)),
    )


def _shown(
    rows: Sequence[Row], stood: Mapping[str, int], swapped: Sequence[int]
) -> Iterator[tuple[Row, int, int]]:
    """With the place where it stood, and the one where it would have stood without the swap."""
    cited = [row for row in rows if row["cited"] and (row["chunk_id"] in stood or row["shown"] is not None)]
    positions = {row["chunk_id"]: stood.get(row["chunk_id"], row["shown"]) for row in cited}
    ranked, moved = dict(positions), [row["chunk_id"] for row in cited if row["position"] in swapped]
    if len(moved) == 2:                 # of one that is cited alone, the place among the cited is the same unswapped
        ranked[moved[0]], ranked[moved[1]] = positions[moved[1]], positions[moved[0]]
    for row in cited:
        if row["schema"] == FEATURE_SCHEMA and usable_features(row["features"]):
            yield row, positions[row["chunk_id"]], ranked[row["chunk_id"]]
