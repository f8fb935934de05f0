"""vouch dead on either log: no words of a question but where they are asked for."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from machines.kafka_log import fresh_log

from cli.wiring.administration import open_administration
from consumers.worker.dead_letters import send_to_dead_letter
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import BadMessage
from vouch.ports.log import Log, Record

Call = Callable[..., tuple[int, str, str]]
SECRET = "who earns \x1b[31mwhat"


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.services)])
def log(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    if request.param == "embedded":
        yield EmbeddedLog(home / "log.sqlite")
        return
    with closing(fresh_log(request.getfixturevalue("kafka_server"))) as kafka:
        monkeypatch.setenv("VOUCH_LOG__KIND", "kafka")
        monkeypatch.setenv("VOUCH_LOG__SERVERS", kafka.place.servers)
        monkeypatch.setenv("VOUCH_LOG__TOPIC_PREFIX", kafka.place.topic_prefix)
        yield kafka


def fill(log: Log, count: int) -> None:
    now = datetime(2026, 11, 21, 10, tzinfo=UTC)
    with closing(log.producer()) as producer:
        for number in range(count):
            record = Record("questions", 1, number, b"k", SECRET.encode(), (("trace", b"7"),), 0)
            send_to_dead_letter(producer, record, BadMessage("not JSON"), 1, now, now)


def test_messages_are_listed_without_words_shown_with_them_sent_again_and_dropped(log: Log, vouch: Call) -> None:
    assert vouch("dead", "list") == (0, "no dead messages\n", "")
    fill(log, 4)
    code, out, _ = vouch("dead", "list", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and len(rows) == 4 and "earns" not in out + vouch("dead", "list")[1]
    assert rows[0] | {"message": ""} == {
        "message": "", "from": "questions/1/0", "error": "BadMessage", "attempts": 1,
        "first": "2026-11-21T10:00:00+00:00", "last": "2026-11-21T10:00:00+00:00",
    }  # fmt: skip
    names = [row["message"] for row in rows]

    code, out, _ = vouch("dead", "show", names[0])
    assert code == 0 and "who earns" in out and "\x1b" not in out
    shown = json.loads(vouch("dead", "show", names[0], "--json")[1])
    assert (shown["value"], shown["reason"], shown["key"]) == (SECRET, "not JSON", "k")

    assert json.loads(vouch("dead", "replay", names[1], "--json")[1]) == {"replayed": names[1], "asked_anew": None}
    assert [record.value for record in log.read("questions")] == [SECRET.encode()]
    assert json.loads(vouch("dead", "drop", names[2], "--json")[1]) == {"dropped": [names[2]]}
    left = [json.loads(line)["message"] for line in vouch("dead", "list", "--json")[1].splitlines()]
    assert left == [names[0], names[3]]
    assert vouch("dead", "drop", "--all", "--topic", "questions", "--yes")[1] == "dropped 2 messages\n"
    assert vouch("dead", "list", "--json")[1] == ""
    noted = open_administration().ledger.acts.list()
    assert [(act.act, act.outcome) for act in reversed(noted)] == [
        (f"replay of {names[1]}", "done"), (f"drop of {names[2]}", "done"), ("drop of 2 dead messages", "done")]


def test_what_is_not_there_is_said_to_be(log: Log, vouch: Call) -> None:
    assert vouch("dead", "show", "questions.dead/0/7")[0] == 3
    assert vouch("dead", "list", "--topic", "gossip")[0] == 3
    assert vouch("dead", "drop")[0] == 2 and vouch("dead", "replay", "x", "--all")[0] == 2
