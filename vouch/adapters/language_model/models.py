"""The language models of the settings, asked in turn: a reply that cannot be read is repaired once."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from vouch.adapters.language_model.dialect import Form, Message
from vouch.adapters.language_model.model import Model
from vouch.answering.spending import Spending, spending
from vouch.errors import ModelDown

T = TypeVar("T")
_SHOWN = 4000                           # characters of a reply that it is shown again


class Unreadable(Exception):
    """A reply is not what was asked for; in words that hold nothing of it, for the model to repair it by."""


@dataclass(frozen=True, slots=True)
class Given(Generic[T]):
    """`notes`: for readers, where the first model did not write it. The tokens are of all calls that led to it."""

    value: T
    model: str
    prompt_tokens: int
    completion_tokens: int
    notes: tuple[str, ...] = ()


class LanguageModels:
    """`models`: the next is asked where one fails, of the time that is left for both."""

    def __init__(self, models: Sequence[Model], *, answer_s: float = 60.0, most_calls: int = 3) -> None:
        self._models, self._answer_s, self._most = models, answer_s, most_calls

    @property
    def name(self) -> str:
        """Of the first."""
        return self._models[0].name

    @cached_property
    def for_the_web(self) -> "LanguageModels":
        """The same models, for calls that are told nothing of the documents and decide what goes out.

        What calls about documents did to a model, its rest after failures, its
        places and what it was learned to refuse, these know nothing of.
        """
        apart = [model.apart() for model in self._models]
        return LanguageModels(apart, answer_s=self._answer_s, most_calls=self._most)

    def ask(
        self, messages: Sequence[Message], form: Form, read: Callable[[str], T], *, spare: int = 0,
    ) -> Given[T]:  # fmt: skip
        """What `read` makes of a reply; it raises Unreadable. `spare`: calls that are kept for others of this answer.

        Raises ModelDown with the cause of each model that failed.
        """
        spent = spending() or Spending()
        spent.within(self._answer_s)
        before, failures = spent.total(), list[ModelDown]()
        for number, model in enumerate(self._models):
            if failures and spent.begun >= self._most - spare:
                break
            model.ready()
            now = time.monotonic()
            until = now + ((spent.until or now) - now) / (len(self._models) - number)
            try:
                value = self._asked(model, messages, form, read, spent, until, self._most - spare)
            except ModelDown as down:
                failures.append(down)
                continue
            total = spent.total()
            notes = tuple(f"written by the second language model ({down.cause})" for down in failures)
            return Given(value, model.name, total.prompt - before.prompt, total.completion - before.completion, notes)
        raise ModelDown("; ".join(down.cause for down in failures), cure=failures[0].cure) from failures[0]

    @staticmethod
    def _asked(
        model: Model, messages: Sequence[Message], form: Form, read: Callable[[str], T], spent: Spending, until: float,
        most: int,
    ) -> T:  # fmt: skip
        reply = model.ask(messages, form, spent, until, most)
        try:
            return read(reply.text)
        except Unreadable as first:
            if spent.begun >= most:
                raise model.failure(f"unusable reply: {first}") from first
            problem = first
        again = [*messages, {"role": "assistant", "content": reply.text[:_SHOWN]}, _repair(str(problem))]
        reply = model.ask(again, form, spent, until, most)
        try:
            return read(reply.text)
        except Unreadable as second:
            raise model.failure(f"unusable reply: {second}") from second


def _repair(problem: str) -> Message:
    return {"role": "user", "content": (
        f"This reply cannot be used: {problem}. Reply again, with the JSON object that was asked for and nothing else."
    )}
