"""`vouch train agent` on one half of the MuSiQue questions, judged by the other: does it find more of what is needed?

The same loop and the same gates as of the command, but for the two worlds, which is told: the index is in memory.
Questions that need one paragraph are made of the paragraphs' titles, to see whether they lose. The gates ask for 20
questions of each half; with fewer (--most) they say so.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.answers.steps import EVERYBODY, NOW, Asked, components, read
from vouch.correction.components import Components
from vouch.correction.loop import answer_question
from vouch.correction.planning.planners import SHIPPED, Actor
from vouch.learning.agent.judged import AGENT_GATES, Least, gates_of, report_of, validate
from vouch.learning.agent.loop import Plan, improve
from vouch.learning.agent.run_summary import Act, Ran, evidence_recall, observed, told_runs
from vouch.learning.promotion.gates import Gate, refusal
from vouch.values.candidate import Passage
from vouch.values.question import Question

CACHE = 512 << 20                       # bytes: the token vectors of all paragraphs
ASKED_GATES = tuple(name for name in AGENT_GATES if name != "two worlds")


def acting(asked: Sequence[Asked], made: Components, most: int) -> Act:
    """Questions by their number; the first search of a question is the same for all actors, and made anew."""

    def act(actor: Actor, number: str) -> Ran:
        one = asked[int(number)]
        question = Question(f"q{number}", one.text, EVERYBODY, NOW, steps=min(most, actor.steps))
        outcome = answer_question(question, replace(made, actor=actor, planned_by="actor"))
        expected = [[each] for each in sorted(one.needed)]
        ran = observed(number, outcome, expected, evidence_recall(outcome, expected, needs_all=True))
        print(f"  question {number}: {ran.metric:.2f}, {len(ran.actions)} steps, {ran.ended}, {ran.ms:.0f} ms",
              file=sys.stderr, flush=True)
        return ran

    return act


def one_hop(passages: Sequence[Passage], number: int) -> list[Asked]:
    """"What is X known for?" of every so many-th paragraph whose title is its alone."""
    titles = [one.title for one in passages]
    alone = [one for one in passages if titles.count(one.title) == 1]
    return [Asked(f"What is {one.title} known for?", frozenset({one.chunk_id}), "")
            for one in alone[:: max(1, len(alone) // number)][:number]]


def told_gates(gates: Sequence[Gate]) -> list[str]:
    """Which gates were asked, and which were not: of the latter nothing was found out, neither way."""
    asked = [f"gate {one.name}: {'passed' if one.passed else 'not passed'} ({one.found}; {one.told})" for one in gates]
    missing = [name for name in AGENT_GATES if name not in {one.name for one in gates}]
    return [*asked, *(f"gate {name}: not asked here, and `vouch train agent` refuses without it" for name in missing)]


def _silent(what: str, done: int, of: int) -> None:
    """The rounds are told when all are done."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the questions and their paragraphs")
    parser.add_argument("--most", type=int, default=Least().questions,
                        help="questions of each half; with fewer the gates refuse whatever is found")
    parser.add_argument("--one-hop", type=int, default=20, help="questions that need one paragraph")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--tries", type=int, default=2, help="proposals of a round")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--vectors", type=Path, help="file that keeps the vectors of the paragraphs, as x.npy")
    parser.add_argument("--out", type=Path, help="file for the report")
    told = parser.parse_args()
    passages, tuned = read(told.data, "tuned")
    held = read(told.data, "held-out")[1][: told.most]
    tuned = tuned[: told.most]
    act = acting([*tuned, *held, *one_hop(passages, told.one_hop)],
                 replace(components(passages, 6, told.vectors, CACHE)), told.steps)
    names = [str(n) for n in range(len(tuned) + len(held) + told.one_hop)]
    training, validation = names[: len(tuned)], names[len(tuned) : len(tuned) + len(held)]
    plan = Plan(told.rounds, batch=told.batch, tries=told.tries, most_steps=told.steps)
    began = time.monotonic()
    bank = improve(SHIPPED, act, training, plan, _silent)
    for one in bank.tried:
        row = told_runs(one.runs)
        print(f"round {one.round}: {one.why}: {'kept' if one.kept else 'not kept'}: {row}", flush=True)
    found = validate(bank, act, validation, 2, _silent)
    gates = gates_of(found, len(training), Least(), None)
    report = report_of(bank, found, gates, plan)
    print(json.dumps(report["figures"], indent=1))
    print("\n".join(told_gates(gates)))
    print("refused:", refusal(gates, ASKED_GATES) or "no", "(the two worlds were not asked)")
    if found.best is not None:
        rest = names[len(tuned) + len(held) :]
        for name, actor in (("as it comes", SHIPPED), ("trained", found.best.actor)):
            print("one hop,", name, told_runs([act(actor, each) for each in rest]), flush=True)
    print(f"{time.monotonic() - began:.0f} s")
    if told.out:
        told.out.write_text(json.dumps(report, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
