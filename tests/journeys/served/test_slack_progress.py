"""Bot and worker as processes of their own, killed while the stages of a question are shown."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import warm
from slack_scene.slack_company import at

from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN, SlackServer
from bots.slack.simulator.workspace import BOT_USER, Message

WORKER = [str(Path(sys.executable).with_name("vouch")), "worker"]
# Shows the stages of quick answers too: on a fast machine one is made before the bot would show any.
BOT = [sys.executable, "-c", "from bots.slack.progress import watched; watched.PATIENCE_S = 0.0; "
                             "from cli.main import run; run()", "slack", "run"]
QUESTION = "How do I book travel?"


def wait(found: Callable[[], Any], seconds: float = 120.0) -> Any:
    until = time.monotonic() + seconds
    while not (seen := found()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return seen


@pytest.mark.model
@pytest.mark.slow
def test_stages_become_the_answer_whichever_process_is_killed_meanwhile(demo_home: Path) -> None:
    with SlackServer() as slack:
        env = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")} | {
            "VOUCH_HOME": str(demo_home), "VOUCH_SLACK__API_URL": slack.url, "VOUCH_SLACK__BOT_TOKEN": BOT_TOKEN,
            "VOUCH_SLACK__APP_TOKEN": APP_TOKEN,
        }
        ana = slack.workspace.user("U0ANA", "Ana", "ana@acme.test")
        lobby = slack.workspace.channel("C1", "lobby", [ana.id], "private")

        def start(command: list[str]) -> subprocess.Popen[str]:
            return warm.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

        def killed(process: subprocess.Popen[str]) -> None:
            process.send_signal(signal.SIGKILL)
            process.communicate()

        def told(asked: Message) -> list[Message]:
            return [m for m in slack.workspace.seen_by(ana.id, "C1") if m.user == BOT_USER and m.thread_ts == asked.ts]

        def ask() -> tuple[Message, Message]:
            """The question, and the message with its stages: to look up who reads along takes a while."""
            slack.faults["conversations.members"].extend([("slow", 1.5)] * 3)
            asked = slack.deliveries.say(ana.id, lobby, at(QUESTION))
            [shown] = wait(lambda: told(asked))
            assert shown.stream is not None and "Search the documents" in shown.shown() and shown.metadata is None
            return asked, shown

        def became_answer(asked: Message, shown: Message) -> None:
            wait(lambda: shown.metadata)
            assert told(asked) == [shown] and "[1]" in shown.shown() and not shown.stream.open  # type: ignore[union-attr]

        bot, worker = start(BOT), start(WORKER)
        slack.sockets.wait_for_app(60)
        first = ask()
        killed(worker)
        slack.faults["conversations.members"].clear()
        worker = start(WORKER)
        became_answer(*first)

        second = ask()
        killed(bot)
        became_answer(*second)

        bot = start(BOT)
        slack.sockets.wait_for_app(60)
        slack.fault("chat.stopStream", "lost")
        third = ask()
        wait(lambda: third[1].metadata)
        killed(worker)                          # which may not know yet that its answer arrived
        worker = start(WORKER)
        became_answer(*third)
        time.sleep(3)                           # whatever else would come
        for asked, shown in (first, second, third):
            became_answer(asked, shown)
        for process in (bot, worker):
            process.terminate()
            _, err = process.communicate(timeout=60)
            assert process.returncode in (0, -signal.SIGTERM), err      # the last worker may have just begun
            assert "travel" not in err and BOT_TOKEN not in err
