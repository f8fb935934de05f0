"""Each server that vouch needs goes away in turn while people ask in Slack: nobody is left without a word, or gets two.

Kafka, PostgreSQL, Elasticsearch, and a model's endpoint are real servers, or speak as one, and Slack is the loopback's.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from machines.kafka_log import fresh_log
from machines.ledger_place import on_a_server
from model_fakes.chat_server import KEY, ChatServer, replies
from running import warm
from running.script_run import command, environment
from running.soak_table import Figures
from servers.elastic import Elasticsearch
from servers.kafka import Kafka
from servers.postgres import Postgres
from servers.process import free_port
from slack_scene.slack_company import at

from bots.slack.simulator import Channel, Message, SlackServer
from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN, SECRET
from bots.slack.simulator.workspace import BOT_USER

pytestmark = [pytest.mark.services, pytest.mark.slow]
SCRIPT = Path(__file__).with_name("whole.py")
ASKED = "How many weeks of paid parental leave do parents get?"
TEXT = "Parents get 12 weeks of paid parental leave."
AWAY_S, SETTLE_S = 4.0, 150.0


class Endpoint:
    """A model's endpoint at one address, which may go and come back."""

    def __init__(self) -> None:
        self.port, self.requests = free_port(), 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> None:
        self._server = ChatServer([replies((TEXT, [(1, TEXT)]))], port=self.port).__enter__()

    def stop(self) -> None:
        self.requests += len(self._server.requests)
        self._server.__exit__(None, None, None)


@dataclass
class Whole:
    """Bot and worker as processes, and what they need."""

    slack: SlackServer
    channel: Channel
    machines: dict[str, Elasticsearch | Kafka | Postgres | Endpoint]
    asked: list[Message] = field(default_factory=list)
    asking: list[threading.Thread] = field(default_factory=list)

    def ask(self, count: int) -> None:
        """Each waits, as Slack does, until the bot has taken it."""
        for _ in range(count):
            self.asking.append(threading.Thread(target=self._ask))
            self.asking[-1].start()

    def _ask(self) -> None:
        self.asked.append(self.slack.deliveries.say("U0BEN", self.channel, at(ASKED)))

    def away(self, machine: str) -> AbstractContextManager[None]:
        return self.slack.away() if machine == "slack" else self._stopped(machine)

    @contextmanager
    def _stopped(self, machine: str) -> Iterator[None]:
        self.machines[machine].stop()
        try:
            yield
        finally:
            self.machines[machine].start()

    def told(self) -> Counter[str]:
        """How often each question was answered or declined for all to see, with the id to ask about it."""
        return Counter(m.thread_ts or "" for m in self.slack.workspace.seen_by("U0BEN", self.channel.id)
                       if m.user == BOT_USER and m.metadata and m.metadata["event_payload"].get("answer_id"))

    def answered(self) -> int:
        return sum(TEXT in m.shown() for m in self.slack.workspace.seen_by("U0BEN", self.channel.id) if m.metadata)

    def settle(self) -> None:
        until = time.monotonic() + SETTLE_S
        for thread in self.asking:
            thread.join(max(0.1, until - time.monotonic()))
        while self.told().keys() < {one.ts for one in self.asked} and time.monotonic() < until:
            time.sleep(0.1)


@pytest.fixture
def whole(
    memory_folder: Path, kafka_server: Kafka, postgres_server: Postgres, elasticsearch_server: Elasticsearch,
    request: pytest.FixtureRequest,
) -> Iterator[Whole]:  # fmt: skip
    mode = request.param
    port, endpoint, log = free_port(), Endpoint(), fresh_log(kafka_server).place
    with SlackServer() as slack, on_a_server(postgres_server) as ledger, ExitStack() as stack:
        stack.callback(endpoint.stop)
        channel = slack.workspace.channel("C1", "people", [slack.workspace.user("U0BEN", "Ben", "ben@acme.test").id])
        slack.deliveries.retries, slack.deliveries.app.in_time = (0.5,) * 400, 3.0
        if mode == "http":
            slack.deliveries.app.request_url = f"http://127.0.0.1:{port}/slack/events"
        settings = environment(**elasticsearch_server.settings(), **{
            "VOUCH_HOME": str(memory_folder / "home"), "VOUCH_LEDGER__URL": ledger.url, "VOUCH_LOG__KIND": "kafka",
            "VOUCH_LOG__SERVERS": log.servers, "VOUCH_LOG__TOPIC_PREFIX": log.topic_prefix,
            "VOUCH_LOG__SESSION_SECONDS": "6", "VOUCH_LEXICAL__INDEX_PREFIX": memory_folder.name.lower(),
            "VOUCH_LEXICAL__TIMEOUT_SECONDS": "2", "VOUCH_WRITER__KIND": "openai",
            "VOUCH_WRITER__BASE_URL": endpoint.url, "VOUCH_WRITER__API_KEY": KEY, "VOUCH_WRITER__MODEL": "big-one",
            "VOUCH_WRITER__TIMEOUT_SECONDS": "2", "VOUCH_WRITER__RETRIES": "0", "VOUCH_SLACK__BOT_TOKEN": BOT_TOKEN,
            "VOUCH_SLACK__APP_TOKEN": APP_TOKEN, "VOUCH_SLACK__SIGNING_SECRET": SECRET,
            "VOUCH_SLACK__API_URL": slack.url, "VOUCH_SLACK__MODE": mode, "VOUCH_SLACK__PORT": str(port),
            "VOUCH_SLACK__TIMEOUT_SECONDS": "20", "VOUCH_ANSWERING__DEADLINE_SECONDS": "300",
        })  # fmt: skip
        warm.run(command(SCRIPT, "prepare"), env=settings, check=True, timeout=120)
        for role in ("bot", "worker"):
            process = warm.Popen(command(SCRIPT, role), env=settings)
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield Whole(slack, channel, {"log": kafka_server, "ledger": postgres_server, "index": elasticsearch_server,
                                     "model": endpoint})


def each_goes_away(whole: Whole, machines: tuple[str, ...]) -> None:
    whole.ask(1)
    whole.settle()
    assert whole.answered() == 1
    for machine in machines:
        whole.ask(2)
        with whole.away(machine):
            if machine != "slack":              # where nobody can say anything meanwhile
                whole.ask(2)
            time.sleep(AWAY_S)
        whole.ask(2)
        whole.settle()
        assert whole.told() == {one.ts: 1 for one in whole.asked}, machine
        assert whole.answered() == len(whole.asked), machine


@pytest.mark.parametrize("whole", ["http"], indirect=True)
def test_model_ledger_log_and_slack_go_away_in_turn(whole: Whole) -> None:
    each_goes_away(whole, ("model", "ledger", "log", "slack"))
    assert whole.machines["model"].requests and len(whole.asked) == 1 + 3 * 6 + 4  # type: ignore[union-attr]


@pytest.mark.soak
@pytest.mark.parametrize("whole", ["socket", "http"], indirect=True)
def test_each_server_goes_away_in_turn_while_people_ask(
    whole: Whole, request: pytest.FixtureRequest, figures: Figures
) -> None:
    each_goes_away(whole, ("model", "index", "ledger", "log", "slack"))
    figures("model's endpoint, Elasticsearch, PostgreSQL, Kafka, and Slack away in turn while people ask in Slack, "
            + request.node.callspec.params["whole"], f"{len(whole.asked)} questions, {AWAY_S:g} s each",
            f"{whole.answered()} answered, each once")
    assert len(whole.asked) == 1 + 4 * 6 + 4
