"""What the language models behind one answer may cost, what they did, and that in words.

Whoever answers a question opens one; all that asks a model for that answer,
in whatever thread, shares its time and its count of calls.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from vouch.plurals import count


@dataclass(frozen=True, slots=True)
class Spent:
    """Of one call, or of several. `cost` None: no prices are set, or not for each."""

    prompt: int = 0
    completion: int = 0
    calls: int = 0
    cost: float | None = None


@dataclass
class Spending:
    """`until`: by time.monotonic; None: the question sets no end. Not `allowed`: no model may be asked at all."""

    until: float | None = None
    allowed: bool = True
    _begun: int = 0
    _calls: list[Spent] = field(default_factory=list)
    _notes: dict[str, None] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, most: int) -> bool:
        """Counts a call, unless there were `most` already."""
        with self._turn:
            if not self.allowed or self._begun >= most:
                return False
            self._begun += 1
            return True

    def within(self, seconds: float) -> None:
        """From now on it ends in so many at the latest."""
        with self._turn:
            until = time.monotonic() + seconds
            self.until = until if self.until is None else min(self.until, until)

    @property
    def begun(self) -> int:
        with self._turn:
            return self._begun

    def spend(self, spent: Spent) -> None:
        with self._turn:
            self._calls.append(spent)

    def note(self, words: str) -> None:
        """For readers of the answer; the same words once. They hold nothing of a question or a document."""
        with self._turn:
            self._notes[words] = None

    @property
    def notes(self) -> tuple[str, ...]:
        with self._turn:
            return tuple(self._notes)

    def total(self) -> Spent:
        with self._turn:
            costs = [one.cost for one in self._calls]
            known = [cost for cost in costs if cost is not None]
            return Spent(
                sum(one.prompt for one in self._calls), sum(one.completion for one in self._calls),
                sum(one.calls for one in self._calls),
                round(sum(known), 8) if known and len(known) == len(costs) else None,
            )

    def beside(self, seconds: float) -> "Spending":
        """With calls and an end of its own, no later than this one's; what it spends is spent here, too."""
        ends = time.monotonic() + seconds
        return _Within(ends if self.until is None else min(ends, self.until), self.allowed, around=self)

    def apart(self, seconds: float) -> "Spending":
        """With calls and an end of its own, whatever was spent before and is left here; it is told here, too."""
        return _Within(time.monotonic() + seconds, self.allowed, around=self)


@dataclass
class _Within(Spending):
    around: Spending = field(kw_only=True)

    def spend(self, spent: Spent) -> None:
        super().spend(spent)
        self.around.spend(spent)


_current: ContextVar[Spending | None] = ContextVar("spending", default=None)


def spending() -> Spending | None:
    """That of the answer which is made here; None outside of any."""
    return _current.get()


@contextmanager
def spent_on_answer(seconds: float | None = None, *, allowed: bool = True) -> Iterator[Spending]:
    """Inside, what is asked of language models belongs to one answer, which has so many seconds left."""
    with _as_current(Spending(None if seconds is None else time.monotonic() + seconds, allowed)) as opened:
        yield opened


@contextmanager
def spent_beside(seconds: float) -> Iterator[Spending]:
    """Inside, calls take nothing of the number and the time of those for the answer around it, and cost as they do."""
    with _as_current((spending() or Spending()).beside(seconds)) as opened:
        yield opened


@contextmanager
def spent_apart(seconds: float) -> Iterator[Spending]:
    """As beside the answer around it, but not even that answer's end takes time from these calls.

    For what goes out of the house: what is left for the answer tells of the documents that were read for it.
    """
    with _as_current((spending() or Spending()).apart(seconds)) as opened:
        yield opened


@contextmanager
def _as_current(opened: Spending) -> Iterator[Spending]:
    token = _current.set(opened)
    try:
        yield opened
    finally:
        _current.reset(token)


def told_cost(tokens: Mapping[str, Any]) -> str:
    """As `2 calls, 640 tokens read, 24 written, cost 0.0012`; empty where no model was asked.

    Answers of before the calls were counted have tokens alone.
    """
    prompt, completion = tokens.get("prompt", 0), tokens.get("completion", 0)
    calls, cost = tokens.get("calls", 0), tokens.get("cost")
    if not (calls or prompt or completion):
        return ""
    parts = [count(calls, "call")] if calls else []
    parts += [f"{prompt} tokens read", f"{completion} written"]
    return ", ".join([*parts, *([] if cost is None else [f"cost {cost:.6f}".rstrip("0").rstrip(".")])])
