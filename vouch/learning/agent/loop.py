"""The actor runs, a comparator contrasts what it did well with what it did badly and proposes; round after round."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Protocol

from vouch.correction.planning.planners import MOST_STEPS, Actor
from vouch.errors import NothingToLearn, Usage
from vouch.learning.agent.bank import Bank, Tried
from vouch.learning.agent.comparator import Proposal, proposals
from vouch.learning.agent.contrast import contrast, told_contrast
from vouch.learning.agent.run_summary import Act, Metric, Ran, mean_worth

OFFLINE = "statistics"
LONGEST_INSTRUCTIONS = 1000             # characters
Heard = Callable[[str, int, int], None]


class Writes(Protocol):
    """A comparator that is a language model. It is told the instructions, and counts and labels of sequences."""

    @property
    def name(self) -> str: ...

    def instructions(self, before: str, contrast: str) -> str:
        """Raises ModelDown where it does not answer."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """`well`: ℓ, from which `metric` on a question is done well; `badly`: h, up to which badly. `batch`: b.

    `templates`: the planner goes by the actor's templates, as rules do. Where not, none of them is changed.
    """

    rounds: int = 6
    well: float = 0.75
    badly: float = 0.5
    batch: int = 20
    tries: int = 3                      # proposals of a round
    most_steps: int = MOST_STEPS
    seed: int = 0
    metric: Metric = "recall"
    templates: bool = True

    def check(self) -> None:
        """Raises Usage."""
        if not 0 < self.badly <= self.well <= 1 or self.batch < 2:
            raise Usage("the thresholds are not 0 < badly ≤ well ≤ 1, or the batch has no pair", cure="see the help")


def improve(
    first: Actor, act: Act, questions: Sequence[str], plan: Plan, heard: Heard, writes: Writes | None = None
) -> Bank:
    """All that was tried. Raises NothingToLearn where all is done well, or all badly: nothing can be contrasted."""
    plan.check()
    dice, bank = random.Random(plan.seed), Bank()  # noqa: S311 - batches, no secret
    current = _tried(0, Proposal(first, "where it began", 0.0), OFFLINE, _run(first, act, questions, heard))
    bank.add(current)
    for number in range(1, plan.rounds + 1):
        well, badly = _sides(current.runs, plan)
        if number == 1 and not (well and badly):
            raise _all_alike(current.runs, plan, "badly" if well else "well")
        half = plan.batch // 2
        batch = [*dice.sample(well, min(half, len(well))), *dice.sample(badly, min(half, len(badly)))]
        better = _round(number, current, batch, act, questions, plan, bank, heard, writes) if badly else None
        if better is None and writes is None and not _untried(current, batch, plan, bank):
            break                       # a language model may write other words of another batch
        current = better or current
    return bank


def _all_alike(runs: Sequence[Ran], plan: Plan, side: str) -> NothingToLearn:
    shares = [run.metric for run in runs]
    return NothingToLearn(
        f"nothing can be contrasted: none of {len(runs)} questions is done {side}. Their shares go from "
        f"{min(shares):.2f} to {max(shares):.2f}, with a median of {median(shares):.2f}; "
        f"well is from {plan.well:g} on, badly up to {plan.badly:g}",
        cure="give other questions, or other thresholds with --well and --badly",
    )


def _round(
    number: int, current: Tried, batch: Sequence[Ran], act: Act, questions: Sequence[str], plan: Plan, bank: Bank,
    heard: Heard, writes: Writes | None,
) -> Tried | None:  # fmt: skip
    """The first proposal that is better on the batch and then on all training questions."""
    before = {run.question: run for run in current.runs}
    for by, proposal in _proposed(current, batch, plan, bank, writes)[: plan.tries]:
        names = [run.question for run in batch]
        seen = _run(proposal.actor, act, names, heard)
        if mean_worth(seen) <= mean_worth(before[name] for name in names):
            bank.add(Tried(number, proposal.actor, proposal.why, by, tuple(seen), screened=True, kept=False))
            continue
        known = {run.question: run for run in seen}
        rest = _run(proposal.actor, act, [name for name in questions if name not in known], heard)
        known |= {run.question: run for run in rest}
        tried = _tried(number, proposal, by, [known[name] for name in questions])
        better = mean_worth(tried.runs) > mean_worth(current.runs)
        bank.add(replace(tried, kept=better))
        if better:
            return tried
    return None


def _proposed(
    current: Tried, batch: Sequence[Ran], plan: Plan, bank: Bank, writes: Writes | None
) -> list[tuple[str, Proposal]]:
    """What was not tried yet: the words of a language model, then changes by statistics, those of a kind that failed
    before last."""
    figures = contrast(*_sides(batch, plan))
    found = proposals(current.actor, figures, plan.most_steps, templates=plan.templates)
    changes = sorted(found, key=lambda change: bank.failed(change.why))
    proposed = [(OFFLINE, change) for change in changes]
    if writes is not None:
        words = writes.instructions(current.actor.instructions, told_contrast(figures)).strip()[:LONGEST_INSTRUCTIONS]
        other = replace(current.actor, instructions=words)
        proposed.insert(0, (writes.name, Proposal(other, "other instructions", 1.0)))
    return [(by, change) for by, change in proposed if not bank.knows(change.actor)]


def _untried(current: Tried, batch: Sequence[Ran], plan: Plan, bank: Bank) -> bool:
    return bool(_proposed(current, batch, plan, bank, None))


def _sides(runs: Sequence[Ran], plan: Plan) -> tuple[list[Ran], list[Ran]]:
    """Done well, done badly. What lies between takes no part."""
    return [one for one in runs if one.metric >= plan.well], [one for one in runs if one.metric <= plan.badly
                                                              and one.metric < plan.well]


def _tried(number: int, proposal: Proposal, by: str, runs: Sequence[Ran]) -> Tried:
    return Tried(number, proposal.actor, proposal.why, by, tuple(runs), screened=False, kept=True)


def _run(actor: Actor, act: Act, questions: Sequence[str], heard: Heard) -> list[Ran]:
    found = []
    for done, question in enumerate(questions):
        heard("questions", done, len(questions))
        found.append(act(actor, question))
    return found
