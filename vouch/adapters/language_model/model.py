"""One language model: retries, its share of the time, what a call cost, and rest after failures."""

import math
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vouch.adapters.language_model.dialect import Dialect, Form, Learned, Message
from vouch.adapters.language_model.endpoint import CallFailed, Completion, Endpoint, Refused
from vouch.answering.spending import Spending, Spent

_LONGEST_S = 600.0


class Breaker:
    """For several threads. After so many failures in a row nobody asks; then one tries, and the others wait for it.

    A pause doubles with each try that fails.
    """

    def __init__(
        self, failures: int = 3, pause_s: float = 15.0, try_s: float = 30.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._most, self._pause_s, self._try_s, self._now = failures, pause_s, try_s, monotonic
        self._failed = 0
        self._until = 0.0
        self._turn = threading.Lock()

    def apart(self) -> "Breaker":
        """One that goes by the same numbers and has seen nothing yet."""
        return Breaker(self._most, self._pause_s, self._try_s, self._now)

    def wait(self) -> float:
        """For how many seconds it is left alone; 0: ask, and tell how it went."""
        with self._turn:
            now = self._now()
            if now < self._until:
                return self._until - now
            if self._failed >= self._most:
                self._until = now + self._try_s
            return 0.0

    def worked(self) -> None:
        with self._turn:
            self._failed, self._until = 0, 0.0

    def failed(self) -> None:
        with self._turn:
            self._failed += 1
            if self._failed >= self._most:
                doubled = self._pause_s * 2.0 ** min(self._failed - self._most, 20)
                self._until = self._now() + min(doubled, _LONGEST_S)

    def pause(self, seconds: float) -> None:
        """It asked itself to be left alone."""
        with self._turn:
            self._until = max(self._until, self._now() + min(seconds, _LONGEST_S))


_REFUSALS = 8                           # that may be learned from in one call; a dialect has fewer parts
_LEAST_S = 0.05                         # of time left, below which nothing is tried


@dataclass(frozen=True, slots=True)
class CallLimits:
    reply_s: float = 30.0
    retries: int = 2
    backoff_s: float = 0.5              # before the first retry; it doubles
    most_backoff_s: float = 8.0
    at_once: int = 8
    thinking_tokens: int = 4000


@dataclass(frozen=True, slots=True)
class Prices:
    """For a million tokens; None: not known."""

    prompt: float | None = None
    answer: float | None = None

    def of(self, completion: Completion) -> float | None:
        if self.prompt is None or self.answer is None:
            return None
        return (completion.prompt_tokens * self.prompt + completion.completion_tokens * self.answer) / 1e6


class Model:
    """For several threads: its breaker, its dialect and the places for calls are those of all of them."""

    def __init__(
        self, endpoint: Endpoint, first: Dialect, limits: CallLimits, prices: Prices, breaker: Breaker,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:  # fmt: skip
        self._endpoint, self._limits, self._prices = endpoint, limits, prices
        self._breaker, self._sleep, self._first = breaker, sleep, first
        self._learned = Learned(first)
        self._places = threading.BoundedSemaphore(limits.at_once)

    @property
    def name(self) -> str:
        return self._endpoint.model

    def apart(self) -> "Model":
        """The same, with a breaker, a dialect, places and connections that no call of this one has a part in."""
        endpoint, breaker = self._endpoint.apart(), self._breaker.apart()
        return Model(endpoint, self._first, self._limits, self._prices, breaker, self._sleep)

    def ready(self) -> None:
        self._endpoint.ready()

    def failure(self, what: str, **how: str) -> CallFailed:
        return self._endpoint.failure(what, **how)

    def ask(self, messages: Sequence[Message], form: Form, spending: Spending, until: float, most: int) -> Completion:
        """What it wrote, which nothing is known against. Raises CallFailed, by `until` at the latest.

        Thoughts that used up the room of the reply get room of their own, in another call.
        """
        thought_before = self._learned.now.thinks
        completion = self._call(messages, form, spending, until, most)
        if completion.cut and self._learned.now.thinks and not thought_before and spending.begun < most:
            completion = self._call(messages, form, spending, until, most)
        if completion.problem:
            raise self.failure(completion.problem, **(_cure_of_cut() if completion.cut else {}))
        return completion

    def _call(self, messages: Sequence[Message], form: Form, spending: Spending, until: float, most: int) -> Completion:
        """With its retries; they count as one."""
        last: CallFailed | None = None
        if spending.begun >= most:
            raise self._too_many(most)
        for attempt in range(self._limits.retries + 1):
            if last is not None and not self._pause(attempt, last, until):
                raise last
            wait = self._breaker.wait()
            if wait > 0:
                raise last or self.failure(f"it failed before, and is left alone for {math.ceil(wait)} s more")
            if last is None and not spending.begin(most):
                raise self._too_many(most)
            try:
                completion = self._attempt(messages, form, until)
            except CallFailed as failed:
                if not failed.again:
                    raise
                last = failed
            else:
                spent = Spent(completion.prompt_tokens, completion.completion_tokens, 1, self._prices.of(completion))
                spending.spend(spent)
                return completion
        assert last is not None
        raise last

    def _too_many(self, most: int) -> CallFailed:
        return self.failure(f"no more than {most} calls may be made for one answer", cure="raise VOUCH_WRITER__CALLS")

    def _pause(self, attempt: int, last: CallFailed, until: float) -> bool:
        """Waits before the next try. False where there is no time for it; what asked for longer is left alone."""
        doubled = min(self._limits.most_backoff_s, self._limits.backoff_s * 2.0 ** (attempt - 1))
        seconds = doubled * random.uniform(0.5, 1.0)  # noqa: S311
        if last.retry_after_s is not None:
            seconds = last.retry_after_s + seconds * 0.1        # or all who were told the same come back together
        if time.monotonic() + seconds + _LEAST_S > until:
            if last.retry_after_s is not None:
                self._breaker.pause(last.retry_after_s)
            return False
        self._sleep(seconds)
        return True

    def _attempt(self, messages: Sequence[Message], form: Form, until: float) -> Completion:
        """One try, and what is learned from refusals: they cost nothing."""
        if not self._places.acquire(timeout=max(0.0, until - time.monotonic())):
            raise self.failure(f"{self._limits.at_once} calls to it are under way", cure="raise VOUCH_WRITER__AT_ONCE")
        try:
            for _ in range(_REFUSALS):
                dialect = self._learned.now
                try:
                    return self._once(dialect, messages, form, until)
                except Refused as refused:
                    self._breaker.worked()
                    if not self._learned.refused(dialect, refused.told):
                        raise self.failure(f"it refused with status {refused.status}") from refused
            raise self.failure("it refuses every form of the request")
        finally:
            self._places.release()

    def _once(self, dialect: Dialect, messages: Sequence[Message], form: Form, until: float) -> Completion:
        left = until - time.monotonic()
        if left < _LEAST_S:
            raise self.failure("the time for this answer is used up", cure="raise VOUCH_WRITER__ANSWER_SECONDS")
        seconds = min(self._limits.reply_s, left)
        try:
            completion = self._endpoint.once(
                dialect.body(self.name, messages, form, self._limits.thinking_tokens), seconds)
        except CallFailed as failed:
            self._heard(failed, seconds)
            raise
        self._breaker.worked()
        if completion.thought and not dialect.thinks:
            self._learned.thinks()
        return completion

    def _heard(self, failed: CallFailed, seconds: float) -> None:
        """A reply that was given little time says nothing about the endpoint."""
        if failed.down or (failed.late and seconds > self._limits.reply_s / 2):
            self._breaker.failed()
        elif not failed.late:
            self._breaker.worked()


def _cure_of_cut() -> dict[str, str]:
    return {"cure": "raise VOUCH_WRITER__MAX_ANSWER_TOKENS, or __THINKING_TOKENS for a model that thinks first"}
