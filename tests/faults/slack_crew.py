"""Bot, worker, and sender as processes beside a Slack on the loopback: killed, begun again, and what came of it."""

import itertools
import random
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from running.script_run import command, environment
from slack_scene.slack_company import LEAVE, at

from bots.slack.simulator import Channel, Message, SlackServer
from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN, SECRET
from bots.slack.simulator.workspace import BOT_USER

SCRIPT = Path(__file__).with_name("slack_process.py")
ROLES = ("bot", "worker", "sender")
SAYS = "12 weeks"
_FAULTS = ("500", "done500", "lost", "reset", "429")


@dataclass
class Crew:
    slack: SlackServer
    channel: Channel
    settings: dict[str, str]
    chance: random.Random
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    asked: list[Message] = field(default_factory=list)
    asking: list[threading.Thread] = field(default_factory=list)
    forged: int = 0                     # requests of others that were taken

    def start(self, role: str) -> None:
        self.running[role] = subprocess.Popen(
            command(SCRIPT, role), env=environment(**self.settings), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def kill(self, role: str) -> None:
        process = self.running.pop(role)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def ask(self, count: int) -> None:
        """Each by a person of its own, who waits until Slack has told the bot."""
        for _ in range(count):
            thread = threading.Thread(target=self._ask)
            self.asking.append(thread)
            thread.start()

    def _ask(self) -> None:
        self.asked.append(self.slack.deliveries.say("U0BEN", self.channel, at(LEAVE)))

    def forge(self) -> None:
        """A question that Slack never had, signed by somebody else; and one without a signature."""
        deliveries = self.slack.deliveries
        if not deliveries.request_url:
            return
        body = b'{"type": "event_callback", "team_id": "T0ACME", "event_id": "Ev9", "event": {"type": "app_mention",' \
               b' "channel": "C1", "user": "U0BEN", "text": "who?", "ts": "1.000001"}}'
        for headers in ({}, deliveries.signed(body, secret="another")):
            status, _ = deliveries.post(body, {"Content-Type": "application/json", **headers})
            self.forged += status == 200

    def kills(self, most: int, questions: int) -> None:
        """Each role in turn is killed somewhere in its work; Slack's replies fail in between."""
        for role in itertools.islice(itertools.cycle(ROLES), most):
            self.ask(questions)
            self.slack.fault("chat.postMessage", self.chance.choice(_FAULTS))
            time.sleep(self.chance.uniform(0, 0.6))
            self.kill(role)
            self.forge()
            self.start(role)

    def settle(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        for thread in self.asking:
            thread.join(max(0.1, until - time.monotonic()))
        while self.answers().keys() < {one.ts for one in self.asked} and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(2.5)                 # whatever would come twice: a lease has run out by then

    def answers(self) -> Counter[str]:
        return Counter(m.thread_ts or "" for m in self.slack.workspace.seen_by("U0BEN", self.channel.id)
                       if m.user == BOT_USER and m.metadata and SAYS in m.shown())

    def outcome(self) -> dict[str, int]:
        told, asked = self.answers(), {one.ts for one in self.asked}
        taken = {str(one.event["event"]["ts"]) for one in self.slack.deliveries.log if one.acked}
        return {
            "asked": len(self.asked), "not taken": len(asked - taken), "lost": len((asked & taken) - told.keys()),
            "double": sum(n > 1 for n in told.values()),
            "forged": self.forged + len(told.keys() - asked),
        }  # fmt: skip


@contextmanager
def crew(home: Path, mode: str, chance: random.Random, **more: str) -> Iterator[Crew]:
    """All three at work; `more` are settings of log and ledger."""
    with SlackServer() as slack, ExitStack() as stack:
        space = slack.workspace
        ben = space.user("U0BEN", "Ben", "ben@acme.test")
        channel = space.channel("C1", "people", [ben.id], "private")
        slack.deliveries.retries, slack.deliveries.in_time = (0.5,) * 400, 2.0
        port = _free_port()
        if mode == "http":
            slack.deliveries.request_url = f"http://127.0.0.1:{port}/slack/events"
        made = Crew(slack, channel, {
            "VOUCH_HOME": str(home), "VOUCH_SLACK__BOT_TOKEN": BOT_TOKEN, "VOUCH_SLACK__APP_TOKEN": APP_TOKEN,
            "VOUCH_SLACK__SIGNING_SECRET": SECRET, "VOUCH_SLACK__API_URL": slack.url, "VOUCH_SLACK__MODE": mode,
            "VOUCH_SLACK__PORT": str(port), "VOUCH_SLACK__TIMEOUT_SECONDS": "20", **more,
        }, chance)  # fmt: skip
        stack.callback(lambda: [made.kill(role) for role in list(made.running)])
        for role in ROLES:
            made.start(role)
        yield made


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
