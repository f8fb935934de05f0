"""One search against several on questions that one passage answers: is anything lost, and what does it cost?

    python benchmarks/answers/one_hop.py --squad FILE --company FILE --reader 18f=group:18f

The gate decides which questions take steps, as with VOUCH_STEPS__BY_DEFAULT: those whose first search settles nothing,
and those that have parts. Recall is that of the known passages within what the writer is given. Each question is asked
in both ways, one after the other, each time with nothing remembered of passages. SQuAD's paragraphs are in memory; the
company's documents are those of VOUCH_HOME.
"""

import argparse
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean, median

import numpy as np

from benchmarks.answers.steps import EVERYBODY, NOW, components, forget_passages, passage_of, tell_gain
from composition.models import load_models
from composition.storage import open_live_index, open_storage
from consumers.process import now
from consumers.wiring.loop import loop_components
from services.models.measured_runs import holding
from vouch.access import Audience
from vouch.adapters.data_files.golden_questions import read_golden
from vouch.adapters.data_files.public import read_squad
from vouch.correction.components import Components
from vouch.correction.loop import answer_question
from vouch.learning.collections.golden import asker_of
from vouch.settings import read_settings
from vouch.values.question import Question


@dataclass(frozen=True)
class Asked:
    """`gold`: ids of the chunks that hold a known answer; one is enough."""

    text: str
    audience: Audience
    gold: Collection[str]


@dataclass(frozen=True)
class Took:
    found: bool
    steps: int
    ms: float


def squad(file: Path) -> tuple[Components, list[Asked]]:
    """All paragraphs, and the questions that one of them answers."""
    readings = list(read_squad(file))
    passages = [passage_of(n, one.title, one.text) for n, one in enumerate(readings)]
    asked = [Asked(text, EVERYBODY, frozenset({passages[n].chunk_id}))
             for n, one in enumerate(readings) for text, answers in one.questions if answers]
    return components(passages, 6, None), asked


def company(file: Path, readers: dict[str, str]) -> tuple[Components, list[Asked]]:
    """Those of the questions that one quotation answers, as their readers ask them."""
    settings = read_settings()
    storage = open_storage(settings)
    index, permissions = open_live_index(settings, storage), storage.permissions.permissions()
    made = loop_components(settings, index, load_models(settings))
    asked = []
    for one in read_golden(file):
        if one.answerable and not one.needs_all:
            audience = permissions.directory.audience([asker_of(one, readers)], now())
            gold = holding(index.view(audience), permissions.rulebooks, one)
            asked.append(Asked(one.text, audience, frozenset().union(*gold)))
    return replace(made, outside=None, swap_rate=0.0), asked


def drawn(asked: Sequence[Asked], number: int, seed: int) -> list[Asked]:
    return [asked[n] for n in np.random.default_rng(seed).permutation(len(asked))[:number]]


def took(one: Asked, made: Components, steps: int, forget: Callable[[], None]) -> Took:
    forget()
    began = time.perf_counter()
    outcome = answer_question(Question("q", one.text, one.audience, NOW, steps=steps, steps_by_default=True), made)
    ms = (time.perf_counter() - began) * 1000
    shown = {e.chunk_id for e in outcome.answer.evidence}
    return Took(not shown.isdisjoint(one.gold), len(outcome.steps), ms)


def compare(name: str, made: Components, asked: Sequence[Asked], steps: int) -> None:
    """Both ways of each question; which one comes first changes with each."""
    forget = partial(forget_passages, made)
    took(asked[0], made, steps, forget)
    once, several = list[Took](), list[Took]()
    for number, one in enumerate(asked):
        order = [(once, 0), (several, steps)]
        for rows, most in order if number % 2 else reversed(order):
            rows.append(took(one, made, most, forget))
        print(f"  {name} {number}: {once[-1]} {several[-1]}", file=sys.stderr, flush=True)
    print(f"\n{name}: {len(asked)} questions, {sum(row.steps > 0 for row in several)} of them took steps")
    print("| steps | recall | searches | ms, median | ms, mean |\n|---|--:|--:|--:|--:|")
    for rows, most in ((once, 0), (several, steps)):
        ms = [row.ms for row in rows]
        print(f"| {most} | {fmean(row.found for row in rows):.3f} | {1 + fmean(row.steps for row in rows):.2f} "
              f"| {median(ms):.0f} | {fmean(ms):.0f} |")
    tell_gain(f"{steps} steps", [row.found for row in once], [row.found for row in several])
    stepped = [n for n, row in enumerate(several) if row.steps]
    if stepped:
        tell_gain("of those that took steps", [once[n].found for n in stepped], [several[n].found for n in stepped])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--squad", type=Path, help="SQuAD 2.0 in its official layout")
    parser.add_argument("--company", type=Path, help="questions on the documents of VOUCH_HOME, with quotations")
    parser.add_argument("--reader", action="append", default=[], metavar="CORPUS=TAG")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--most", type=int, default=200, help="questions of each set")
    parser.add_argument("--seed", type=int, default=0)
    told = parser.parse_args()
    if told.squad:
        made, asked = squad(told.squad)
        compare("SQuAD", made, drawn(asked, told.most, told.seed), told.steps)
    if told.company:
        made, asked = company(told.company, dict(one.split("=", 1) for one in told.reader))
        compare("the company's questions", made, drawn(asked, told.most, told.seed), told.steps)


if __name__ == "__main__":
    main()
