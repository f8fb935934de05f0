"""The steps of bot, worker, and sender of Slack, at each of which a process can be made to kill itself."""

import os
import signal
from collections.abc import Callable
from typing import Any

from bots.slack.answers.surface import SlackSurface
from bots.slack.hearing.asking import Asking
from bots.slack.progress.finishing import ShownStages
from bots.slack.progress.showing import Showing
from consumers.questions.handler import QuestionHandler
from vouch.adapters.ledger.answers.outbox import Outbox
from vouch.adapters.ledger.conversations.slack_events import SlackEvents

DOOMED: dict[str, tuple[type, str, bool]] = {        # where each ends: before the call, or after one that did something
    "bot-heard": (Asking, "ask", False), "bot-taken": (SlackEvents, "take", False),
    "bot-noted": (SlackEvents, "take", True),
    "worker-begun": (QuestionHandler, "handle", False), "worker-kept": (QuestionHandler, "_keep", True),
    "sender-claimed": (Outbox, "claim", True), "sender-marked": (Outbox, "posting", True),
    "sender-posted": (SlackSurface, "post", True), "sender-sent": (Outbox, "sent", True),
}  # fmt: skip
STREAMING: dict[str, tuple[type, str, bool]] = {     # the steps that there are only where an answer is streamed
    "bot-starts": (Showing, "_start", False), "bot-started": (Showing, "_start", True),
    "bot-appends": (Showing, "_append", False), "bot-appended": (Showing, "_append", True),
    "sender-ends": (ShownStages, "finish", False), "sender-ended": (ShownStages, "finish", True),
}  # fmt: skip
STEPS = DOOMED | STREAMING
FORGETFUL = "sender-forgetful"


def forget() -> None:
    """From now on a sender of this process never finds what was posted: a bug that is planted."""
    SlackSurface.has = lambda self, delivery: False  # type: ignore[method-assign]


def doom(step: str) -> None:
    """From now on this process ends at that step."""
    of, name, after = STEPS[step]
    real: Callable[..., Any] = getattr(of, name)

    def ends(*given: Any, **named: Any) -> Any:
        done = real(*given, **named) if after else None
        if done != []:                  # nothing was claimed
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(of, name, ends)
