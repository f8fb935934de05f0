"""Recall of all supporting paragraphs within the evidence that the writer is given: one search against several.

On questions that need two or more paragraphs (MuSiQue), offline. Several steps are held against one search that gives
the writer as much as it usually does, and against one that gives it as much as they may. The index is in memory, so
what is timed is models, with no passage remembered from the question before.
"""

import argparse
import gzip
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median
from typing import Any, cast

import numpy as np
from fakes.memory_index import MemoryIndex

from vouch.access import PUBLIC, Audience, Label, Reader
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.models.encoder import load_encoder
from vouch.adapters.models.scorers.maxsim import MaxSimReranker
from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.answering.quoting.extractive import ExtractiveWriter
from vouch.correction.components import Components, QuestionKinds
from vouch.correction.loop import answer_question
from vouch.correction.planning.limits import Limits
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.ports.models import Encoder, Vector
from vouch.values.candidate import Passage
from vouch.values.question import Question

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EVERYBODY = Audience((Reader(PUBLIC, frozenset({PUBLIC})),))


@dataclass(frozen=True)
class Asked:
    text: str
    needed: frozenset[str]              # chunk ids
    answer: str


@dataclass(frozen=True)
class Outcome:
    found: float                        # share of the needed paragraphs
    whole: bool                         # all of them
    searches: int
    ms: float
    busy_ms: float                      # of processors: other work beside it does not count
    certain: bool                       # the answer is shown as sure
    right: bool                         # what it quotes holds the expected answer, letter by letter


@dataclass(frozen=True)
class Way:
    """How it is searched. `places`: passages that one search gives the writer; each step that is allowed, one more."""

    steps: int
    places: int

    @property
    def name(self) -> str:
        return f"{self.steps} steps, {self.places + self.steps} passages"


def read(folder: Path, half: str) -> tuple[list[Passage], list[Asked]]:
    """The paragraphs, and the questions whose supporting ones are all among them; every second one is held out."""
    corpus = _json(folder / "musique_train_corpus.json.gz")
    passages = [passage_of(n, one["title"], one["text"]) for n, one in enumerate(corpus)]
    ids = {(p.title, p.text): p.chunk_id for p in passages}
    asked = []
    for one in _json(folder / "musique_train.json.gz"):
        support = [p for p in one["paragraphs"] if p["is_supporting"]]
        keys = [(p["title"], p.get("text") or p.get("paragraph_text")) for p in support]
        if all(key in ids for key in keys):
            asked.append(Asked(one["question"], frozenset(ids[key] for key in keys), one["answer"]))
    return passages, {"all": asked, "tuned": asked[::2], "held-out": asked[1::2]}[half]


def _json(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def passage_of(number: int, title: str, text: str) -> Passage:
    """A paragraph as a document of its own."""
    return Passage(f"{number:064x}", "wiki", f"{number}.md", title, (title,), text, 0, len(text), 1, 1, 0, 1)


class Remembered:
    """An encoder whose vectors of all paragraphs are kept in a file, as they take the longest."""

    def __init__(self, encoder: Encoder, file: Path | None) -> None:
        self._encoder, self._file = encoder, file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._encoder, name)

    def passages(self, texts: Sequence[str]) -> Vector:
        if self._file is None or len(texts) < 1000:
            return self._encoder.passages(texts)
        if not self._file.exists():
            np.save(self._file, self._encoder.passages(texts))
        return np.asarray(np.load(self._file), np.float32)


def components(
    passages: Sequence[Passage], places: int, vectors: Path | None, cache_bytes: int = 128 << 20
) -> Components:
    """`cache_bytes`: for the token vectors of passages."""
    analyser, loaded = SnowballAnalyser(), load_encoder()
    encoder = cast(Encoder, Remembered(loaded, vectors))
    reranker = MaxSimReranker(loaded, cache_bytes=cache_bytes)
    writer = ExtractiveWriter(reranker, analyser)
    index = MemoryIndex(passages, {p.chunk_id: Label(frozenset({PUBLIC})) for p in passages}, encoder, analyser)
    return Components(
        index=index, encoder=encoder, reranker=reranker, closeness=reranker, evaluator=load_evaluator(),
        writer=writer, fallback=writer, analyser=analyser, count_tokens=load_tokenizer().count, clock=lambda: NOW,
        kinds=_recipes(places), steps=Limits(8, 600.0, 8, 600.0),
    )


def run(asked: Sequence[Asked], made: Components, way: Way) -> list[Outcome]:
    """Each question as the first of its day: the passages of none before it are remembered."""
    made = replace(made, kinds=_recipes(way.places))
    found = []
    for one in asked:
        forget_passages(made)
        began, busy = time.perf_counter(), time.process_time()
        outcome = answer_question(Question("q", one.text, EVERYBODY, NOW, steps=way.steps), made)
        ms, busy_ms = ((now - then) * 1000 for now, then in ((time.perf_counter(), began), (time.process_time(), busy)))
        shown = {e.chunk_id for e in outcome.answer.evidence}
        share = len(one.needed & shown) / len(one.needed)
        quoted = " ".join(citation.quote for citation in outcome.answer.citations).casefold()
        found.append(Outcome(share, share == 1.0, 1 + len(outcome.steps), ms, busy_ms,
                             outcome.answer.action == "answered", one.answer.casefold() in quoted))
    return found


def forget_passages(made: Components) -> None:
    """What each model keeps of passages that it read."""
    for model in (made.encoder, made.reranker, made.closeness, made.judge):
        getattr(model, "forget", lambda: None)()


def _recipes(places: int) -> QuestionKinds:
    return QuestionKinds(FactQuestions(places=places), ListQuestions())


def tell(asked: Sequence[Asked], way: Way, outcomes: Sequence[Outcome]) -> None:
    print("| paragraphs needed | questions | way | all of them | share of them | searches | ms | ms of processors "
          "| quote the answer | certain | right of these |")
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    groups: dict[str, list[int]] = defaultdict(list)
    for n, one in enumerate(asked):
        groups[str(len(one.needed))].append(n)
    for name, numbers in [*sorted(groups.items()), ("all", list(range(len(asked))))]:
        of = [outcomes[n] for n in numbers]
        print(f"| {name} | {len(of)} | {way.name} | {fmean(o.whole for o in of):.3f} "
              f"| {fmean(o.found for o in of):.3f} | {fmean(o.searches for o in of):.1f} "
              f"| {median(o.ms for o in of):.0f} | {median(o.busy_ms for o in of):.0f} | {sum(o.right for o in of)} "
              f"| {sum(o.certain for o in of)} | {sum(o.certain and o.right for o in of)} |", flush=True)


def tell_gains(before: tuple[Way, list[Outcome]], after: tuple[Way, list[Outcome]]) -> None:
    (old, first), (new, second) = before, after
    for what, of in (("all of them", "whole"), ("share of them", "found")):
        tell_gain(f"{new.name}, against {old.name}: {what}",
                  [getattr(one, of) for one in first], [getattr(one, of) for one in second])


def tell_gain(what: str, before: Sequence[float], after: Sequence[float]) -> None:
    """Over the same questions, with a 95 % interval of a bootstrap."""
    gains = np.array(after, float) - np.array(before, float)
    drawn = np.random.default_rng(0).choice(gains, (10_000, len(gains))).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    print(f"{what}: {gains.mean():+.3f} ({low:+.3f} to {high:+.3f}), {int((gains > 0).sum())} better, "
          f"{int((gains < 0).sum())} worse of {len(gains)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the questions and their paragraphs")
    parser.add_argument("--half", choices=("tuned", "held-out", "all"), default="held-out")
    parser.add_argument("--steps", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--places", type=int, default=6, help="passages that one search gives the writer")
    parser.add_argument("--most", type=int, default=100, help="questions")
    parser.add_argument("--needed", type=int, default=0, help="only questions that need so many paragraphs")
    parser.add_argument("--vectors", type=Path, help="file that keeps the vectors of the paragraphs, as x.npy")
    parser.add_argument("--out", type=Path, help="file for what was found of each question, as JSON lines")
    told = parser.parse_args()
    passages, asked = read(told.data, told.half)
    made = components(passages, told.places, told.vectors)
    asked = [one for one in asked if told.needed in (0, len(one.needed))][: told.most]
    print(f"{len(asked)} questions, {len(passages)} paragraphs")
    found: dict[Way, list[Outcome]] = {}
    for way in ways(told.steps, told.places):
        found[way] = run(asked, made, way)
        tell(asked, way, found[way])
    for way in [one for one in found if one.steps]:
        for usual in (Way(0, told.places), Way(0, told.places + way.steps)):
            tell_gains((usual, found[usual]), (way, found[way]))
    if told.out:
        rows = [{"question": one.text, "needed": len(one.needed),
                 "found": {way.name: found[way][n].found for way in found}} for n, one in enumerate(asked)]
        told.out.write_text("".join(json.dumps(row) + "\n" for row in rows))


def ways(steps: Sequence[int], places: int) -> list[Way]:
    """One search with the usual places, one with as many as so many steps may fill, and the steps."""
    several = [Way(number, places) for number in steps if number]
    return list(dict.fromkeys([Way(0, places), *(Way(0, places + one.steps) for one in several), *several]))


if __name__ == "__main__":
    main()
