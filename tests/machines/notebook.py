"""What the tests of the worker hand it, and what they read of what it set aside."""

from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import DeadLetter, QuestionAsked


class Notebook:
    """A handler that fails as it is told and notes what it was given."""

    def __init__(self, *fails: Exception) -> None:
        self.fails = list(fails)
        self.calls: list[str] = []
        self.done: list[str] = []
        self.given_up: list[str] = []

    def handle(self, message: QuestionAsked) -> None:
        self.calls.append(message.id)
        if self.fails:
            raise self.fails.pop(0)
        self.done.append(message.id)

    def give_up(self, message: QuestionAsked) -> None:
        self.given_up.append(message.id)


def dead(log: EmbeddedLog) -> list[tuple[bytes, bytes, DeadLetter]]:
    return [(r.key, r.value, DeadLetter.read(r.headers)) for r in log.read("questions.dead")]
