"""Votes on whole answers tell nothing of places: readers without bias who give them are not taken to have one."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from vouch.learning.labels.label import Label
from vouch.learning.labels.propensity import Looks, Propensities, by_regression, correct, from_swaps, looks_of
from vouch.learning.labels.threads import Threads
from vouch.learning.labels.weak_labels import Answered, Ballot, Given, LabelRules, weak_labels
from vouch.messages import QuestionAsked, TagsAudience
from vouch.retrieval.experiments import swap
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
GIVEN, CITED = 6, 3
CLIP = 10.0


@dataclass
class Voted:
    """What the ledger holds of answers whose readers voted."""

    labels: list[Label] = field(default_factory=list)
    recorded: dict[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    swapped: dict[str, Sequence[int]] = field(default_factory=dict)

    @property
    def looks(self) -> Looks:
        return looks_of(self.labels, self.recorded, self.swapped)


def voted(answers: int, seed: int, swaps: float = 0.0) -> Voted:
    """The writer cites the best of what it is given, wherever that stands; readers read it all, and six in ten like
    it."""
    draw, found = random.Random(seed), Voted()
    for n in range(answers):
        worth = [draw.gauss(0, 1) for _ in range(GIVEN)]
        best = sorted(range(GIVEN), key=lambda passage: -worth[passage])[:draw.randint(1, CITED)]
        order, moved = swap(list(range(GIVEN)), swaps, f"{seed}-{n}", GIVEN)
        one = answered(f"a{n}", order, best, "up" if draw.random() < 0.6 else "down")
        found.labels += weak_labels(one, Threads([one.question], str.split), LabelRules(), NOON)
        found.recorded[f"a{n}"] = [
            {"chunk_id": f"c{passage}", "position": place, "shown": place, "cited": passage in best,
             "schema": FEATURE_SCHEMA, "features": dict.fromkeys(FEATURE_NAMES, 0.0) | {"bm25_share": worth[passage]}}
            for place, passage in enumerate(order, 1)
        ]  # fmt: skip
        found.swapped[f"a{n}"] = moved
    return found


def answered(name: str, order: Sequence[int], cited: Sequence[int], vote: str) -> Answered:
    asked = QuestionAsked(id=name, text=f"How is {name}?", surface="http", asker="user:ana@acme.test",
                          audience=TagsAudience(tags=("public",)), asked_at=NOON)
    body = {"id": name, "action": "answered", "index_version": 1,
            "citations": [{"chunk_id": f"c{passage}"} for passage in order if passage in cited]}
    given = tuple(Given(f"c{passage}", None, place, passage in cited) for place, passage in enumerate(order, 1))
    return Answered(asked, body, NOON, True, given, (Ballot(asked.asker, vote, None, NOON),))


def nothing_is_corrected(labels: Sequence[Label], propensities: Propensities) -> None:
    assert set(propensities) == set(range(1, CITED + 1))
    assert all(abs(propensity - 1) < 0.05 for propensity in propensities.values()), propensities
    after = correct(labels, propensities, CLIP)
    assert all(new.weight <= 1.1 * old.weight for new, old in zip(after, labels, strict=True))


@pytest.mark.parametrize("seed", range(2))
def test_by_regression_readers_without_bias_have_none(seed: int) -> None:
    print(f"seed {seed}")
    found = voted(1500, seed)
    nothing_is_corrected(found.labels, by_regression(found.looks))


@pytest.mark.parametrize("seed", range(2))
def test_by_swaps_readers_without_bias_have_none(seed: int) -> None:
    print(f"seed {seed}")
    found = voted(4000, seed, swaps=0.5)
    nothing_is_corrected(found.labels, from_swaps(found.looks))
