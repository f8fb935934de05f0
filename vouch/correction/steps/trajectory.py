"""What was done for a question step by step, as the answer tells it and as the ledger keeps it."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from vouch.answering.answer import AnswerOrder, AnswerStep, ToolName
from vouch.correction.evaluation import Verdict
from vouch.correction.planning.order import Args, End, OpenArgs, RagArgs, document_name
from vouch.values.candidate import Candidate

Stopped = Literal["", "final", "stop", "covered", "budget", "error"]
MOST_NOTED = 20                         # candidates of a step
NOT_JUDGED = "not judged in time"       # the error of a step whose tool found something
TWICE, NOT_FOUND = "the same call twice", "not found before"
"""The errors of orders that were refused: no tool was asked."""


@dataclass(frozen=True, slots=True)
class PartFound:
    """Something that is asked for, and how likely each passage is to answer it. Not `wanted`: it only helps."""

    text: str
    wanted: bool
    likely: dict[str, float]            # chunk id → probability
    tried: bool
    by_words: bool = False              # certain only if what is quoted has all its words: it is a chain, or unsettled

    @property
    def best(self) -> float:
        return max(self.likely.values(), default=0.0)


class OrderedBy(NamedTuple):
    """A planner, by its name, and whether it is the rules: of these it is known where their words are from."""

    name: str
    rules: bool


@dataclass(frozen=True, slots=True)
class StepTaken:
    """`words_of` are the passages that words of the query were taken from."""

    number: int
    tool: ToolName
    args: Args
    by: OrderedBy
    thought: str
    ms: float
    error: str = ""                     # a label, empty where it worked
    found: tuple[Candidate, ...] = ()
    words_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderSaid:
    """One that led to no step: it could not be used, as `error` says, or it `ends` the search."""

    step: int                           # the one that was to be taken
    by: OrderedBy
    thought: str = ""
    error: str = ""                     # a label
    problem: str = ""                   # what was wrong with it, in words of vouch alone
    ends: End = ""


@dataclass(frozen=True, slots=True)
class Walked:
    """What all steps found. Without any: what the first search found, unchanged."""

    verdict: Verdict
    judged: Sequence[Candidate]         # what is answered from, in order
    weighed: Sequence[Candidate]        # what numbers or queries depend on
    fused: Sequence[Candidate]
    steps: tuple[StepTaken, ...] = ()
    parts: tuple[PartFound, ...] = ()
    stopped: Stopped = ""
    notes: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()          # asked for as well, and not looked for
    orders: tuple[OrderSaid, ...] = ()
    found_by: Mapping[str, str] = field(default_factory=dict)   # what each step brought: chunk id → words searched for
    room: int = 0                       # passages for the writer beyond the usual: one for each step that was allowed

    @property
    def wanted(self) -> list[PartFound]:
        return [part for part in self.parts if part.wanted]

    def and_then(self, steps: Sequence[StepTaken], orders: Sequence[OrderSaid]) -> "Walked":
        """With steps that were taken after these, numbered from 1 by themselves."""
        before = len(self.steps)
        return replace(
            self, steps=(*self.steps, *(replace(one, number=before + one.number) for one in steps)),
            orders=(*self.orders, *(replace(one, step=before + one.step) for one in orders)),
        )  # fmt: skip


def told(walked: Walked, given: Collection[str]) -> list[AnswerStep]:
    """Of the passages of documents those that are looked up again before the answer is sent."""
    named = {one.chunk_id for one in walked.judged if one.chunk_id in given}
    named |= {document_name(one.passage) for one in walked.judged if one.chunk_id in given}
    return [
        AnswerStep(
            tool=one.tool, by=one.by.name, by_rules=one.by.rules, thought=one.thought, error=one.error,
            passages=[c.chunk_id for c in one.found if c.chunk_id in given or c.passage.origin == "external"],
            ms=one.ms, **_args(one.args, named),
        )
        for one in walked.steps
    ]  # fmt: skip


def _args(args: Args, named: Collection[str]) -> dict[str, Any]:
    """What was opened, where it is looked up again: a planner may name what its readers may not see."""
    if not isinstance(args, OpenArgs):
        return args.model_dump(exclude_none=True)
    opened = args.chunk or args.document
    return {"opened": opened, "section": args.section or ""} if opened in named else {"opened": ""}


def told_orders(walked: Walked) -> list[AnswerOrder]:
    return [
        AnswerOrder(
            step=one.step, by=one.by.name, by_rules=one.by.rules, thought=one.thought, error=one.error,
            problem=one.problem, ends=one.ends,
        )
        for one in walked.orders
    ]  # fmt: skip


def rows(walked: Walked) -> tuple[dict[str, Any], ...]:
    """For the ledger: ids and numbers, no words of a question or a document."""
    return tuple(
        {
            "number": one.number, "tool": one.tool, "args": _wordless(one), "planner": one.by.name, "ms": one.ms,
            "error": one.error, "stopped": walked.stopped if one is walked.steps[-1] else "",
            "found": [[c.chunk_id, c.probability] for c in one.found[:MOST_NOTED]],
        }
        for one in walked.steps
    )  # fmt: skip


def _wordless(one: StepTaken) -> dict[str, Any]:
    """Equal words stay equal, and nobody can read them. What was opened stays, and the source and path of something
    that was found, as a purge takes them out.
    """
    told = one.args.model_dump(mode="json", exclude_none=True)
    words = {"query", "section", *_of_nothing_found(one)}
    told |= {name: _hashed(told[name]) for name in words if name in told}
    return {**told, "words_of": list(one.words_of)} if isinstance(one.args, RagArgs) else told


def _of_nothing_found(one: StepTaken) -> list[str]:
    """What narrowed a search and is not the name of a source or a path in what it found: a planner may write any."""
    if not isinstance(one.args, RagArgs):
        return []
    places = [candidate.passage.document for candidate in one.found]
    sources, paths = {source for source, _ in places}, {path for _, path in places}
    return [name for name, known in (("source", sources), ("path", paths)) if getattr(one.args, name) not in known]


def _hashed(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()[:16]
