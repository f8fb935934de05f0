"""A company in Slack whose worker stops at a stage until it is let go, so that one can look meanwhile."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from bots.slack.simulator.workspace import BOT_USER, Channel, Message, User
from slack_scene.slack_company import Company

WAIT_S = 10.0


class Gate:
    """An evaluator that judges once it is let go."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.fingerprint, self.thresholds, self.judged_with = real.fingerprint, real.thresholds, real.judged_with
        self.reached, self.open = threading.Event(), threading.Event()

    def probabilities(self, question: str, candidates: Sequence[Any]) -> list[float]:
        self.reached.set()
        assert self.open.wait(30.0)
        found: list[float] = self._real.probabilities(question, candidates)
        return found


@contextmanager
def held(acme: Company, rounds: int = 400) -> Iterator[Gate]:
    """In it questions stop at the evaluator until `open` is set; at the end all are answered, and sent in `rounds`."""
    gate = Gate(acme.world.components.evaluator)
    acme.world.components = replace(acme.world.components, evaluator=gate)
    failed: list[BaseException] = []

    def work() -> None:
        try:
            acme.answer_all(rounds)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield gate
    finally:
        gate.open.set()
        thread.join(60.0)
        acme.world.components = replace(acme.world.components, evaluator=gate._real)
    assert not failed, failed


def until(look: Callable[[], Any], seconds: float = WAIT_S) -> Any:
    """What it finds, once it finds something."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.01)
    return found


def streamed(acme: Company) -> list[Message]:
    return [m for m in acme.slack.workspace.messages if m.user == BOT_USER and m.stream is not None]


def called(acme: Company, method: str) -> list[dict[str, Any]]:
    return [given for name, given in acme.slack.api.calls if name == method]


def settled(acme: Company) -> None:
    """The bot has nothing left to show."""
    assert acme.bot is not None
    until(lambda: not acme.bot.progress._watched)  # type: ignore[union-attr]


def only_answer(acme: Company, person: User, channel: Channel) -> Message:
    """The one message of the bot that this person sees in the end."""
    settled(acme)
    [answer] = acme.answers(person, channel)
    assert answer.metadata is not None and (answer.stream is None or not answer.stream.open), answer
    return answer
