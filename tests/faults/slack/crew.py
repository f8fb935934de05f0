"""Bot, worker, and sender as processes beside a Slack on the loopback: killed, begun again, and what came of it."""

import itertools
import json
import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from unittest.mock import patch

import pytest
from faults.slack import process as forked
from faults.slack.forging import envelopes, let_in, question
from machines.kafka_log import fresh_log
from machines.ledger_place import on_a_server
from running.script_run import environment
from servers.kafka import Kafka
from servers.postgres import Postgres
from servers.process import free_port
from slack_scene.slack_company import LEAVE, at

from bots.slack.simulator import Channel, Message, SlackServer
from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN, SECRET
from bots.slack.simulator.workspace import BOT_USER

ROLES = ("bot", "worker", "sender")
PLACES = {"embedded": "embedded log and SQLite", "on_servers": "Kafka and PostgreSQL"}
FOUR = [pytest.param(place, mode, marks=[pytest.mark.services] if place == "on_servers" else [])
        for place in PLACES for mode in ("socket", "http")]
THREE = FOUR[:2] + FOUR[3:]             # over one transport on the servers, where it makes no difference
SAYS = "12 weeks"
REFUSED, DONE = ("500", "429", "reset"), ("done500", "lost")     # what becomes of a call, and it is done all the same


@dataclass
class Crew:
    slack: SlackServer
    channel: Channel
    settings: dict[str, str]
    chance: random.Random
    running: dict[str, ForkServerProcess] = field(default_factory=dict)
    asked: list[Message] = field(default_factory=list)
    asking: list[threading.Thread] = field(default_factory=list)
    forged: int = 0                     # requests of others, and their connections, that were taken
    refused: int = 0
    envelopes: list[str] = field(default_factory=list)          # of others, that the bot has read

    def start(self, role: str) -> None:
        self.running[role] = _forks().Process(target=forked.run, args=(role, self.settings), daemon=True)
        self.running[role].start()

    def kill(self, role: str) -> None:
        process = self.running.pop(role)
        process.kill()
        process.join()

    def ask(self, count: int, channel: Channel | None = None) -> None:
        """Each by a person of its own, who waits until Slack has told the bot."""
        for _ in range(count):
            thread = threading.Thread(target=self._ask, args=(channel or self.channel,))
            self.asking.append(thread)
            thread.start()

    def _ask(self, channel: Channel) -> None:
        self.asked.append(self.slack.deliveries.say("U0BEN", channel, at(LEAVE)))

    def forge(self) -> None:
        """Questions that Slack never had. Those that reach nobody, as the bot is away, do not count as tried."""
        if self.slack.deliveries.app.request_url:
            return self._forge_requests()
        tried = envelopes(self.channel.id, "U0BEN", f"-{len(self.envelopes)}")
        self.envelopes += [name for name, text in tried.items() if self.slack.sockets.push(text)]
        used = self.slack.sockets.ticket()
        assert let_in(used)
        self.forged += let_in(used) + let_in(used.partition("?")[0])
        return None

    def _forge_requests(self) -> None:
        """Signed by somebody else; and without a signature."""
        app = self.slack.deliveries.app
        body = json.dumps(question(self.channel.id, "U0BEN")).encode()
        for headers in ({}, app.signed(body, secret="another")):
            status, _ = app.post(body, {"Content-Type": "application/json", **headers})
            self.refused += status == 401
            self.forged += status == 200

    def kills(self, most: int, questions: int) -> None:
        """Each role in turn is killed somewhere in its work; Slack's replies fail in between."""
        for role in itertools.islice(itertools.cycle(ROLES), most):
            self.ask(questions)
            self.slack.fault("chat.postMessage", self.chance.choice(REFUSED + DONE))
            time.sleep(self.chance.uniform(0, 0.6))
            self.kill(role)
            self.forge()
            self.start(role)

    def killed_at(self, step: str, reply: str = "") -> None:
        """Who takes this step dies at it while somebody asks, and is begun again; then `reply` becomes of Slack's.

        A question to the bot alone is one event: no other brings it where this one is lost.
        """
        role = step.partition("-")[0]
        self.kill(role)
        self.start(step)
        self.slack.faults["chat.postMessage"].clear()
        if reply:
            self.slack.fault("chat.postMessage", reply)
        self.ask(1, self.slack.workspace.direct("U0BEN") if role == "bot" else None)
        self.running[step].join(300)
        assert self.running[step].exitcode == -signal.SIGKILL, step
        self.kill(step)
        self.start(role)
        self.answered(300)

    def told_again(self) -> None:
        """All that Slack told, once more and as something new, in any order."""
        told = [(again, one.event) for one in self.slack.deliveries.log
                for again in (self.slack.deliveries.repeat, self.slack.deliveries.anew)]
        self.chance.shuffle(told)
        assert all(again(event).acked for again, event in told)

    def answered(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        for thread in self.asking:
            thread.join(max(0.1, until - time.monotonic()))
        while self.answers().keys() < {one.ts for one in self.asked} and time.monotonic() < until:
            time.sleep(0.1)

    def settle(self, seconds: float) -> None:
        self.answered(seconds)
        time.sleep(2.5)                 # whatever would come twice: a lease has run out by then

    def answers(self) -> Counter[str]:
        space = self.slack.workspace
        return Counter(m.thread_ts or "" for channel in list(space.channels) for m in space.seen_by("U0BEN", channel)
                       if m.user == BOT_USER and m.metadata and SAYS in m.shown())

    def none_wrong(self) -> bool:
        """Nothing that was asked is without its one answer, and nothing else is answered."""
        found = self.outcome()
        return not any(found[name] for name in ("not taken", "lost", "double", "forged"))

    def outcome(self) -> dict[str, int]:
        told, asked = self.answers(), {one.ts for one in self.asked}
        taken = {str(one.event["event"]["ts"]) for one in self.slack.deliveries.log if one.acked}
        acted = sum(map(self.slack.sockets.acknowledged, self.envelopes))
        return {
            "asked": len(self.asked), "not taken": len(asked - taken), "lost": len((asked & taken) - told.keys()),
            "double": sum(n > 1 for n in told.values()),
            "tried": self.refused + len(self.envelopes),
            "forged": self.forged + acted + len(told.keys() - asked),
        }  # fmt: skip


@contextmanager
def at_work(home: Path, mode: str, chance: random.Random, **more: str) -> Iterator[Crew]:
    """All three at work; `more` are settings of log and ledger."""
    with SlackServer() as slack, ExitStack() as stack:
        space = slack.workspace
        ben = space.user("U0BEN", "Ben", "ben@acme.test")
        channel = space.channel("C1", "people", [ben.id], "private")
        slack.deliveries.retries, slack.deliveries.app.in_time = (0.5,) * 400, 2.0
        port = free_port()
        if mode == "http":
            slack.deliveries.app.request_url = f"http://127.0.0.1:{port}/slack/events"
        made = Crew(slack, channel, {
            "VOUCH_HOME": str(home), "VOUCH_SLACK__BOT_TOKEN": BOT_TOKEN, "VOUCH_SLACK__APP_TOKEN": APP_TOKEN,
            "VOUCH_SLACK__SIGNING_SECRET": SECRET, "VOUCH_SLACK__API_URL": slack.url, "VOUCH_SLACK__MODE": mode,
            "VOUCH_SLACK__PORT": str(port), "VOUCH_SLACK__TIMEOUT_SECONDS": "20", **more,
        }, chance)  # fmt: skip
        stack.callback(lambda: [made.kill(role) for role in list(made.running)])
        for role in ROLES:
            made.start(role)
        yield made


@contextmanager
def settings_of_servers(kafka: Kafka, postgres: Postgres) -> Iterator[dict[str, str]]:
    """Topics and a database of their own."""
    place = fresh_log(kafka).place
    with on_a_server(postgres) as ledger:
        ledger.open()
        yield {"VOUCH_LEDGER__URL": ledger.url, "VOUCH_LOG__KIND": "kafka", "VOUCH_LOG__SERVERS": place.servers,
               "VOUCH_LOG__TOPIC_PREFIX": place.topic_prefix, "VOUCH_LOG__SESSION_SECONDS": "3"}


@cache
def _forks() -> ForkServerContext:
    """Processes of their own that need not import anything: they would take longer for that than for all they do."""
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload([forked.__name__, "bots.slack.bot", "bots.slack.connection"])
    with patch.dict(os.environ, environment()):
        forkserver.ensure_running()
    return made
