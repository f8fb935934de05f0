"""The demo company in the loopback Slack: processes of their own, real models, and kills in between."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from running import warm
from slack_scene.slack_company import at

from bots.slack.simulator import Channel, Message, SlackServer
from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN
from bots.slack.simulator.workspace import BOT_USER

COMMAND = Path(sys.executable).with_name("vouch")
HIDDEN, SAYS = "people/performance-improvement.md", "A plan lasts 60 days"
QUESTION = "What is a performance improvement plan and how long does it take?"


def wait(found: Callable[[], bool], seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.model
@pytest.mark.slow
def test_a_channel_gets_what_both_may_read_and_the_manager_the_rest_alone(demo_home: Path) -> None:
    with SlackServer() as slack:
        env = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")} | {
            "VOUCH_HOME": str(demo_home), "VOUCH_SLACK__API_URL": slack.url, "VOUCH_SLACK__BOT_TOKEN": BOT_TOKEN,
            "VOUCH_SLACK__APP_TOKEN": APP_TOKEN, "VOUCH_LOG_LEVEL": "info",
        }
        ana = slack.workspace.user("U0ANA", "Ana", "ana@acme.test")
        ben = slack.workspace.user("U0BEN", "Ben", "ben@acme.test")
        both = slack.workspace.channel("C1", "both", [ana.id, ben.id], "private")

        def start(*words: str) -> subprocess.Popen[str]:
            return warm.Popen([COMMAND, *words], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True)

        def answers(user: str, channel: Channel) -> list[Message]:
            return [m for m in slack.workspace.seen_by(user, channel.id) if m.user == BOT_USER and m.metadata]

        bot = start("slack", "run")
        slack.sockets.wait_for_app(30)
        slack.fault("chat.postMessage", "lost")
        slack.deliveries.say(ana.id, both, at(QUESTION))
        assert all(one.acked for one in slack.deliveries.log)
        bot.send_signal(signal.SIGKILL)         # what it has acknowledged is on the log
        bot.communicate()
        worker = start("worker")
        wait(lambda: bool(answers(ana.id, both)))
        worker.send_signal(signal.SIGKILL)      # it may be in doubt whether its post arrived
        worker.communicate()
        bot, worker = start("slack", "run"), start("worker")
        wait(lambda: bool(slack.sockets.apps()))
        [public] = answers(ana.id, both)
        assert HIDDEN not in public.shown() and SAYS not in public.shown()
        [button] = [block["elements"][0] for block in public.blocks if block["type"] == "actions"]
        for person in (ana, ben):
            assert slack.deliveries.press(person.id, public, {
                "type": "button", "action_id": button["action_id"], "value": button["value"]})
        directs = {person.id: slack.workspace.direct(person.id) for person in (ana, ben)}
        wait(lambda: all(answers(user, direct) for user, direct in directs.items()))
        time.sleep(3)                           # whatever else would come
        assert len(answers(ana.id, both)) == 1
        shown = {user: [m.shown() for m in answers(user, direct)] for user, direct in directs.items()}
        assert len(shown[ana.id]) == len(shown[ben.id]) == 1
        assert HIDDEN in shown[ben.id][0] and SAYS in shown[ben.id][0]
        assert HIDDEN not in shown[ana.id][0] and SAYS not in shown[ana.id][0]
        for process in (bot, worker):
            process.terminate()
            _, err = process.communicate(timeout=60)
            assert process.returncode == 0, err
            assert "performance" not in err and BOT_TOKEN not in err
