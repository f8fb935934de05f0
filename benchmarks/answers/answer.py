"""The time of an answer: its stages, what the corrective ones add, and what it costs apart from the models.

With `--parts held`, also questions that a worker holds together against the
same one at a time: passes, questions a second, and whether all answers are
equal.

Needs a home with an index (`vouch demo --keep` leaves one), and a quiet
machine. Each answer begins with nothing remembered of passages or questions,
in a process that has its models in memory.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.answers.answering import Asked, Clock, Machine, Slow, plain, read
from benchmarks.answers.held import ask, ready
from benchmarks.report import Report, p50, p95
from vouch.correction.outcome import waterfall

ANSWER_MS, OWN_MS = 400, 30             # p95 on two cores
OVERHEAD = {"quotations": 2.0, "a language model of 1 s": 1.2}
WARM = 3                                # answers before anything is timed


@dataclass
class Taken:
    """Of each answer: milliseconds, of all threads' processors too, those of its own thread without the models'."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    passes: list[int] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def taken(machine: Machine, one: Asked, so_far: Taken) -> None:
    machine.forget()
    machine.models.clear()
    before, clock = machine.encoder.forward_passes, Clock()
    outcome = machine.answer(one)
    so_far.wall.append(clock.wall_ms)
    so_far.processor.append(clock.all_processor_ms)
    so_far.own.append(clock.processor_ms - machine.models.processor_ms)
    so_far.passes.append(machine.encoder.forward_passes - before)
    for stage in waterfall(outcome.answer.timings_ms):
        so_far.stages[stage.stage].append(stage.ms)


def stages(report: Report, machine: Machine, asked: Sequence[Asked]) -> None:
    """An answer of the loop as a worker makes it, and one whose stages read passages each for itself."""
    whole, apart = Taken(), Taken()
    for one in asked:
        taken(machine, one, whole)
        taken(machine.without_foresight(), one, apart)
    total = sum(whole.wall)
    report.table(["stage", "p50 ms", "p95 ms", "share of the time"])
    for name, ms in whole.stages.items():
        report.line(name, f"{p50(ms):.1f}", f"{p95(ms):.1f}", f"{sum(ms) / total:.0%}")
    report.table(["", "p50", "p95", "each stage for itself, p50", "bound", ""])
    report.line("an answer, ms", *_told(whole.wall, apart.wall), f"p95 ≤ {ANSWER_MS}",
                checks=[p95(whole.wall) <= ANSWER_MS])
    report.line("processor time of all its threads, ms", *_told(whole.processor, apart.processor), "", "")
    report.line("of its own thread without the models, ms", *_told(whole.own, apart.own), f"p95 ≤ {OWN_MS}",
                checks=[p95(whole.own) <= OWN_MS])
    report.line("passes of the encoder", *_told(whole.passes, apart.passes), "", "")


def _told(whole: Sequence[float], apart: Sequence[float]) -> list[str]:
    return [f"{one:.1f}" for one in (p50(whole), p95(whole), p50(apart))]


def overhead(report: Report, machine: Machine, asked: Sequence[Asked], seconds: float) -> None:
    """The loop against search, fusion and writing alone, each question in both ways, one after the other."""
    report.table(["writer", "retrieve and write, p50 ms", "the loop, p50 ms", "ratio", "bound", ""])
    for name, most in OVERHEAD.items():
        made = machine
        if name != "quotations":
            made = replace(machine, components=replace(machine.components, writer=Slow(seconds)))
        short, whole = list[float](), list[float]()
        for one in asked:
            short.append(timed(machine, partial(plain, made, one)))
            whole.append(timed(machine, partial(made.answer, one)))
        ratio = median(whole) / median(short)
        report.line(name, f"{median(short):.0f}", f"{median(whole):.0f}", f"{ratio:.2f}", f"≤ {most}",
                    checks=[ratio <= most])


def timed(machine: Machine, act: Callable[[], object]) -> float:
    machine.forget()
    clock = Clock()
    act()
    return clock.wall_ms


def together(report: Report, asked: Sequence[Asked], holds: Sequence[int], repeats: int) -> None:
    """Questions put on the log, and taken by a worker that holds one, or so many of them."""
    report.table(["questions", "held at once", "passes apart", "together", "questions a second apart", "together",
                  "bound", ""])
    for _ in range(repeats):
        apart = ask(asked, 1)
        for hold in holds or [len(asked)]:
            held = ask(asked, hold)
            passes, rates = [one.passes for one in (apart, held)], [f"{one.rate:.2f}" for one in (apart, held)]
            report.line(len(asked), hold, *passes, *rates, "equal answers", checks=[held.answers == apart.answers])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path, nargs="+", help="JSON lines with text or question, and perhaps as")
    parser.add_argument("--most", type=int, default=60, help="questions")
    parser.add_argument("--model-seconds", type=float, default=1.0, help="that the language model takes")
    parser.add_argument("--parts", nargs="+", choices=("stages", "overhead", "held"), default=["stages", "overhead"])
    parser.add_argument("--held", type=int, default=16, help="questions that are asked together")
    parser.add_argument("--hold", type=int, nargs="+", default=[],
                        help="of them at once; all unless told, and several numbers are tried one after another")
    parser.add_argument("--repeats", type=int, default=3, help="times that they are held")
    parser.add_argument("--answers", type=Path, help="file for the answers as JSON lines, to compare two states with")
    told = parser.parse_args()
    asked = [one for file in told.questions for one in read(file)]
    machine = ready()
    if not any(machine.answer(one).candidates for one in asked[:WARM]):
        parser.error(f"the first {WARM} questions find no passage: `as` names a tag of who may read the documents")
    timed_ones = asked[: told.most]
    report = Report(f"Answers: {len(timed_ones)} questions, {machine.chunks} chunks, {machine.where}")
    if "stages" in told.parts:
        stages(report, machine, timed_ones)
    if "overhead" in told.parts:
        overhead(report, machine, timed_ones, told.model_seconds)
    if "held" in told.parts:
        together(report, asked[: told.held], told.hold, told.repeats)
    if told.answers:
        told.answers.write_text("\n".join(json.dumps(machine.unchanging(one)) for one in timed_ones) + "\n")
    report.end()


if __name__ == "__main__":
    main()
