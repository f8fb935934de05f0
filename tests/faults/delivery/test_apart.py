"""Worker and sender as processes of their own, each killed in turn: no question is lost, none is answered twice."""

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from http_scene.callback_receiver import SECRET, CallbackReceiver, Handler, Part
from machines.kafka_log import fresh_log
from machines.ledger_place import on_a_server
from running import warm
from running.soak_table import Figures
from servers.kafka import Kafka
from servers.postgres import Postgres

TESTS = Path(__file__).parents[2]
EMBEDDED = {"VOUCH_LOG__KIND": "embedded", "VOUCH_LOG__LEASE_SECONDS": "0.5"}
Tried = tuple[dict[str, Any], dict[str, int]]


def lingers(seconds: float) -> Part:
    """Time to be killed between a post and its mark."""
    def part(handler: Handler, keep: Callable[[], None]) -> None:
        keep()
        time.sleep(seconds)
        handler.say(200, {})

    return part


def tried(folder: Path, questions: int, kills: int, *planted: str, **places: str) -> Tried:
    """What the processes left, and what the receiver has: how many posts of each number of times."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    with CallbackReceiver() as receiver:
        receiver.to_posts[:] = [lingers(0.3)] * 25 if planted else [lingers(0.05)] * questions
        settings = {
            "VOUCH_CALLBACK__URL": receiver.url, "VOUCH_CALLBACK__SECRET": SECRET, "VOUCH_CALLBACK__HOSTS": "127.0.0.1",
            "VOUCH_CALLBACK__TIMEOUT_SECONDS": "0.5", **(places or EMBEDDED),
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
        script = Path(__file__).with_name("apart.py")
        done = warm.run(
            [sys.executable, script, *map(str, (folder, questions, kills, seed)), *planted], timeout=900,
            env={**kept, **settings, "PYTHONPATH": f"{TESTS}:{TESTS.parent}"}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        left = json.loads(done.stdout)
        times = Counter(post["question_id"] for post in receiver.posts)
        found = {"once": sum(n == 1 for n in times.values()), "more": sum(n > 1 for n in times.values())}
        print(left, found, receiver.complaints)
        assert receiver.complaints == []
        return left, found


def sound(found: Tried, questions: int, kills: int) -> bool:
    left, posts = found
    return (
        (left["killed"], left["lag"], left["dead"], left["outbox"]) == (kills, 0, 0, {"sent": questions})
        and posts == {"once": questions, "more": 0}
        and set(left["ended"]) == {"worker", "sender"} and max(left["ended"].values()) <= 30
    )


@pytest.mark.slow
def test_forty_questions_and_eight_kills(memory_folder: Path) -> None:
    assert sound(tried(memory_folder, 40, 8), 40, 8)


@pytest.mark.slow
def test_the_harness_sees_a_sender_that_does_not_ask(memory_folder: Path) -> None:
    assert tried(memory_folder, 40, 12, "forgetful")[1]["more"]


def on_servers(folder: Path, kafka: Kafka, postgres: Postgres, questions: int, kills: int) -> Tried:
    log = fresh_log(kafka)
    try:
        with on_a_server(postgres) as place:
            return tried(
                folder, questions, kills, VOUCH_LEDGER__URL=place.url, VOUCH_LOG__KIND="kafka",
                VOUCH_LOG__SERVERS=kafka.bootstrap, VOUCH_LOG__TOPIC_PREFIX=log.place.topic_prefix,
                VOUCH_LOG__INSTANCE="one", VOUCH_LOG__SESSION_SECONDS="3",
            )  # fmt: skip
    finally:
        log.close()


@pytest.mark.slow
def test_the_same_on_kafka_and_postgresql(kafka_server: Kafka, postgres_server: Postgres, memory_folder: Path) -> None:
    assert sound(on_servers(memory_folder, kafka_server, postgres_server, 40, 6), 40, 6)


@pytest.mark.soak
def test_five_hundred_questions_and_a_hundred_kills_on_servers(
    kafka_server: Kafka, postgres_server: Postgres, memory_folder: Path, figures: Figures
) -> None:
    found = on_servers(memory_folder, kafka_server, postgres_server, 500, 100)
    figures("worker and sender, processes of their own on Kafka and PostgreSQL, killed in turn",
            "500 questions, 100 kills", f"{500 - sum(found[1].values())} lost, {found[1]['more']} answered twice")
    assert sound(found, 500, 100)
