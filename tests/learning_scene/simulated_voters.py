"""Simulated voters: what the ledger holds of their votes, which the product's own weights and fits are made from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learning_scene.simulated_readers import SHOWN, Floats
from vouch.learning.labels.label import Label
from vouch.learning.statistics.logistic import sigmoid
from vouch.learning.training.fusion_training import JudgedCandidates
from vouch.learning.training.weighing import Material
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA

ENGINE_FEATURES = tuple(map(FEATURE_NAMES.index, ("bm25_share", "bm25_rrf", "sem_gap", "sem_rrf")))
WEIGHS = np.array([0.5, 0.5, -1.5, 0.5])    # of these, standardised, what makes a passage relevant
RANKS = np.array([1.0, 1.0, 0.0, 1.0])      # and what the ranking that is shown orders by
MONDAY = datetime(2026, 9, 7, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Questions:
    """Questions with candidates that the product's own lists, labels and fits are made from."""

    seed: int
    count: int = 400
    passages: int = 15

    @cached_property
    def drawn(self) -> Floats:
        return np.random.default_rng([self.seed, 3]).normal(size=(self.count, self.passages, len(ENGINE_FEATURES)))

    @cached_property
    def relevant(self) -> NDArray[np.bool_]:
        chance = sigmoid(2 * (self.drawn @ WEIGHS) - 2)
        return np.asarray(np.random.default_rng([self.seed, 4]).random(chance.shape) < chance)

    @cached_property
    def shown(self) -> NDArray[np.int64]:
        """Per question the first passages, best first."""
        return np.argsort(-(self.drawn @ RANKS), axis=1)[:, :SHOWN]

    def matrix(self, question: int) -> Floats:
        found = np.zeros((self.passages, len(FEATURE_NAMES)))
        found[:, ENGINE_FEATURES] = 0.1 * self.drawn[question] + 0.5
        found[:, FEATURE_NAMES.index("is_seed")] = 1
        return found

    @property
    def lists(self) -> list[JudgedCandidates]:
        return [
            JudgedCandidates(f"q{n}", self.matrix(n), (self.drawn[n] @ RANKS).tolist(),
                             [f"c{p}" for p in range(self.passages)],
                             {f"c{p}": int(good) for p, good in enumerate(self.relevant[n])})
            for n in range(self.count)
        ]


def candidate_rows(world: Questions, question: int) -> list[dict[str, Any]]:
    """What is shown, as the ledger keeps it: each passage was cited, for its reader saw it."""
    rows = world.matrix(question)
    return [
        {"chunk_id": f"c{passage}", "schema": FEATURE_SCHEMA, "position": place, "shown": place, "cited": True,
         "features": dict(zip(FEATURE_NAMES, rows[passage].tolist(), strict=True))}
        for place, passage in enumerate(world.shown[question].tolist(), 1)
    ]


@dataclass(frozen=True)
class Voter:
    """Votes on what they look at of `questions` of them; `against`: for what is not relevant, and against what is."""

    name: str
    questions: int
    against: bool = False
    steep: float = 1.0
    noise: float = 0.1


def voted(world: Questions, voters: Sequence[Voter]) -> Material:
    """What the ledger holds of their votes. A voter acts the same whatever the others do."""
    labels: list[Label] = []
    recorded = {}
    for voter in voters:
        random = np.random.default_rng([world.seed, *voter.name.encode()])
        for question in random.choice(world.count, voter.questions, replace=False).tolist():
            answer = f"{voter.name}-{question}"
            recorded[answer] = candidate_rows(world, question)
            at = MONDAY + timedelta(days=int(random.integers(40)))
            for row in recorded[answer]:
                good = world.relevant[question, int(row["chunk_id"][1:])] != (random.random() < voter.noise)
                if random.random() < row["position"] ** -voter.steep:
                    labels.append(Label(f"q{question}", ("public",), row["chunk_id"], None, 1,
                                        2 * int(good != voter.against), "vote", 0.5, at, voter.name, answer,
                                        row["position"]))
    return Material(labels, recorded)


def voted_whole(world: Questions, people: Sequence[tuple[str, str, int]], cites: Floats = WEIGHS) -> Material:
    """Votes as vouch makes them, beside what was cited: of so many answers each, on the two passages that one cites, up
    where either is relevant. A `critic` votes down alone, and rightly; a `liar` the other way round.

    `cites` weighs what is cited: by WEIGHS citations tell the truth, by RANKS no more than the ranking.
    """
    labels, recorded, askers = list[Label](), dict[str, list[dict[str, Any]]](), dict[str, str]()
    for name, kind, answers in people:
        dice, done = np.random.default_rng([world.seed, *name.encode()]), 0
        for question in dice.permutation(world.count).tolist():
            worth = world.drawn[question] @ cites + 0.7 * dice.normal(size=world.passages)
            cited = set(sorted(world.shown[question].tolist(), key=lambda n: -worth[n])[:2])
            good = any(world.relevant[question][n] for n in cited)
            if done == answers or (kind == "critic" and good):
                continue
            done, answer, up = done + 1, f"{name}-{question}", good != (kind == "liar")
            askers[answer] = name
            recorded[answer] = [{**row, "cited": int(row["chunk_id"][1:]) in cited}
                                for row in candidate_rows(world, question)]
            for row in recorded[answer]:
                said = Label(f"q{question}", ("public",), row["chunk_id"], None, 1, 2 * int(up), "vote", 0.5,
                             MONDAY + timedelta(days=done % 40), name, answer, row["position"])
                labels += [said] if row["cited"] else []
                labels.append(replace(said, source="cited", relevance=int(row["cited"]), weight=0.2, person=None))
    return Material(labels, recorded, askers=askers)
