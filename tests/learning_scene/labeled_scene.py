"""Drawn questions with recorded candidates and labels: one engine is right, the other draws lots."""

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from homes.small_world import passage

from vouch.adapters.analyser import SnowballAnalyser
from vouch.learning.labels.label import Label, Source
from vouch.learning.training.weighing import Material
from vouch.retrieval.fusion_features import FEATURE_SCHEMA, feature_vectors
from vouch.retrieval.question.query import form_query
from vouch.values.candidate import Candidate, Statistics

BEGAN = datetime(2026, 9, 1, 8, tzinfo=UTC)
CANDIDATES, LABELED = 12, 6
ANALYSER = SnowballAnalyser()
_LETTERS = "bcdfgklmnprstvz"


def words(draw: random.Random, count: int) -> str:
    return " ".join("".join(draw.choice(_LETTERS) + draw.choice("aeiou") for _ in range(4)) for _ in range(count))


def rows_of(question: str, draw: random.Random, right: str) -> list[dict[str, Any]]:
    """Candidate c00 is the one that answers; the engine that is right has it first."""
    places, chance = list(range(1, CANDIDATES + 1)), list(range(1, CANDIDATES + 1))
    draw.shuffle(chance)
    lexical, dense = (places, chance) if right == "lexical" else (chance, places)
    found = [
        Candidate(passage("some words", chunk_id=f"c{n:02}"), 9.0 / a, a, 1.0 - b / 20, b)
        for n, (a, b) in enumerate(zip(lexical, dense, strict=True))
    ]
    query = form_query(question, ANALYSER)
    features = feature_vectors(query, found, Statistics(40, dict.fromkeys(query.terms, 20)), ANALYSER)
    return [
        {"chunk_id": c.chunk_id, "schema": FEATURE_SCHEMA, "features": values, "text_hash": None, "shown": n + 1,
         "cited": n == 0, "position": n + 1, "lexical_rank": c.lexical_rank, "lexical_score": c.lexical_score,
         "dense_rank": c.dense_rank, "dense_score": c.dense_score, "evidence": {}}
        for n, (c, values) in enumerate(zip(found, features, strict=True))
    ]  # fmt: skip


def labels_of(
    question: str, answer: str, n: int, *, audience: Sequence[str] = ("public",), people: int = 12,
    source: Source = "vote",
) -> list[Label]:  # fmt: skip
    """For c00 and against a few others; nothing is said of the rest."""
    return [
        Label(question, tuple(audience), f"c{chunk:02}", None, 1, 2 if chunk == 0 else 0, source, 0.5,
              BEGAN + timedelta(hours=8 * n, minutes=chunk), f"user:p{n % people}@acme.test", answer, None)
        for chunk in range(LABELED)
    ]


@cache
def scene(
    questions: int, seed: int, *, right: str = "lexical", audience: Sequence[str] = ("public",), name: str = "a",
) -> Material:  # fmt: skip
    draw = random.Random(seed)
    recorded: dict[str, Sequence[Mapping[str, Any]]] = {}
    labels: list[Label] = []
    for n in range(questions):
        question = f"What is {words(draw, 4)}?"
        recorded[f"{name}{n}"] = rows_of(question, draw, right)
        labels += labels_of(question, f"{name}{n}", n, audience=audience)
    return Material(labels, recorded)
