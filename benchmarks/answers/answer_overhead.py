"""What the corrective loop itself costs: the time of an answer less the time inside encoder, reranker and evaluator.

Needs a home with an index (`vouch demo --keep` leaves one). Reports the
loop's own wall and processor time per answer; on a machine that does other
things besides, only the latter is the loop's.
"""

import argparse
import cProfile
import json
import pstats
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from composition.models import load_models
from composition.storage import open_live_index, open_storage
from consumers.process import now
from consumers.questions.answerer import Answerer
from consumers.wiring.loop import loop_components
from vouch.messages import QuestionAsked
from vouch.settings import read_settings


class Timed:
    """`inner`, with the wall and processor seconds spent in its calls added up in `spent`."""

    def __init__(self, inner: Any, spent: list[float]) -> None:
        self._inner, self._spent = inner, spent

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def call(*arguments: Any) -> Any:
            wall, processor = time.perf_counter(), time.thread_time()
            try:
                return found(*arguments)
            finally:
                self._spent[0] += time.perf_counter() - wall
                self._spent[1] += time.thread_time() - processor

        return call


def answerer(spent: list[float]) -> Answerer:
    settings = read_settings()
    storage = open_storage(settings)
    index = open_live_index(settings, storage)
    plain = loop_components(settings, index, load_models(settings))
    reranker = Timed(plain.closeness, spent)
    writer = type(plain.fallback)(reranker, plain.analyser)
    components = replace(
        plain, encoder=Timed(plain.encoder, spent), reranker=reranker, closeness=reranker,
        evaluator=Timed(plain.evaluator, spent),
        writer=writer, fallback=writer,
    )
    return Answerer(storage.permissions, index, lambda: components, now)


def timed(answer: Callable[[QuestionAsked], object], question: dict[str, Any], spent: list[float]) -> list[float]:
    message = QuestionAsked.model_validate({
        "id": "q", "text": question["text"], "surface": "nobody", "asker": question["as"][0],
        "audience": {"tags": question["as"]}, "asked_at": datetime.now(UTC),
    })
    spent[:] = [0.0, 0.0]
    wall, processor = time.perf_counter(), time.thread_time()
    answer(message)
    return [1000 * (time.perf_counter() - wall - spent[0]), 1000 * (time.thread_time() - processor - spent[1])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path, nargs="+", help="JSON lines with text and as")
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    questions = [json.loads(line) for file in arguments.questions for line in file.read_text().splitlines()]
    spent = [0.0, 0.0]
    loop = answerer(spent)
    for question in questions[:3]:
        timed(loop.answer, question, spent)
    profiler = cProfile.Profile()
    if arguments.profile:
        profiler.enable()
    own = np.array([timed(loop.answer, question, spent) for question in questions])
    profiler.disable()
    for name, column in (("wall", own[:, 0]), ("processor", own[:, 1])):
        p50, p95 = np.percentile(column, [50, 95])
        print(f"own {name} time per answer, ms: p50 {p50:.1f}, p95 {p95:.1f}, max {column.max():.1f}, n {len(column)}")
    if arguments.profile:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(35)


if __name__ == "__main__":
    main()
