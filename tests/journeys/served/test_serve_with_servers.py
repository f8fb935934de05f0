"""`vouch serve`, `vouch worker` and `vouch sender` on Kafka and PostgreSQL: two are killed while answers are made."""

import os
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import psycopg
import pytest
from http_scene.http_client import Client
from http_scene.served import COMMAND, PROXY, SIGNED, events, served_again, until_ready
from http_scene.watched_browser import MISSING, chromium
from machines.ledger_place import on_a_server
from servers.kafka import Kafka
from servers.postgres import Postgres

WHO = ("new", "old", "ill", "away", "here", "there", "young", "busy", "retired", "abroad", "on call", "on trial")
QUESTIONS = [f"How many days of leave has somebody {who}?" for who in WHO]
HEAVY = ("torch", "faiss")      # transformers is Python alone, and brings torch
ON_PAGE, LATER = "How many days of leave does everybody have?", "Has everybody thirty days of leave a year?"


@pytest.mark.model
@pytest.mark.slow
def test_web_process_and_worker_killed_nothing_is_lost_and_nothing_comes_twice(
    kafka_server: Kafka, postgres_server: Postgres, tmp_path: Path
) -> None:
    with on_a_server(postgres_server) as place, ExitStack() as stack:
        env = company(tmp_path, {**kafka_server.settings(), "VOUCH_LEDGER__URL": place.url})
        stack.enter_context(running(env, "sender"))
        asked, seen = dict[str, str](), dict[str, str]()
        with (served_again(env, "0", subprocess.Popen) as (web, address),
              running(env, "worker", "--without", "replies") as worker):
            client, port = Client(address, SIGNED), address.rpartition(":")[2]
            until_ready(client)
            assert not models_mapped(web)
            for number, question in enumerate(QUESTIONS):
                told = client.post("/v1/ask", {"question": question, "wait": 0}, Idempotency_Key=str(number))
                asked[question] = told.json["answer_at"]
            came_back = stack.enter_context(waiting_page(address))
            kinds, last = events(address, asked[QUESTIONS[-1]], "stage")
            web.kill()                                  # while the stream is open
            worker.kill()                               # with questions in hand
            web.wait()
            worker.wait()
        assert kinds == ["stage"] and rows(place.url)[0] < len(QUESTIONS)
        with (served_again(env, port, subprocess.Popen) as (web, _),
              running(env, "worker", "--without", "replies") as worker):
            for question, at in asked.items():
                assert events(address, at, "answer", last)[0][-1] == "answer"
                answer = client.get(at).json
                assert answer["question"] == question and "thirty days" in answer["answer"]
                seen[question] = answer["id"]
            came_back()
            for number, question in enumerate(QUESTIONS):
                again = client.post("/v1/ask", {"question": question}, Idempotency_Key=str(number))
                assert again.json["id"] == seen[question]
            pages = client.get("/questions").text
            assert [pages.count(question) for question in QUESTIONS] == [1] * len(QUESTIONS)
            at = client.post("/v1/ask", {"question": LATER, "wait": 0}).json["answer_at"]
            kinds, _ = events(address, at, "answer")
            assert client.post("/v1/search", {"query": "leave"}).status == 200
            assert not models_mapped(web) and models_mapped(worker)     # after all that it did; and it would be seen
            assert [kind for kind, _ in groupby(kinds)] == ["stage", "sentence", "answer"]
            until = time.monotonic() + 20
            while rows(place.url) != [len(QUESTIONS) + 2] * 3 and time.monotonic() < until:
                time.sleep(0.1)
        assert rows(place.url) == [len(QUESTIONS) + 2] * 3


def models_mapped(process: "subprocess.Popen[Any]") -> set[str]:
    """Libraries of models and vectors whose files the process has in its memory, if it was not forked from one."""
    maps = Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
    return {name for name in HEAVY if f"/{name}/" in maps}


def company(folder: Path, servers: dict[str, str]) -> dict[str, str]:
    """The environment of a home with documents that ana alone may read."""
    docs = folder / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEverybody has thirty days of leave a year.\n")
    (docs / "travel.md").write_text("# Travel\n\nBook flights through the portal and keep the receipts.\n")
    (docs / "badges.md").write_text("# Badges\n\nLost badges are reported to the front desk at once.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: ["user:ana"]}\n')
    (folder / "people.yaml").write_text("people:\n  ana: {groups: []}\ngroups: {}\n")
    env = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    env |= {**servers, **PROXY, "VOUCH_HOME": str(folder / "home"), "VOUCH_LOG__SESSION_SECONDS": "2",
            "VOUCH_LOG__TOPIC_PREFIX": f"{uuid.uuid4().hex[:8]}-", "VOUCH_LOG__PARTITIONS": "2"}
    for words in (["migrate"], ["source", "add", "docs", "--kind", "folder", "--path", docs],
                  ["directory", "load", folder / "people.yaml"], ["ingest"]):
        subprocess.run([COMMAND, *map(str, words)], env=env, capture_output=True, timeout=120, check=True)
    return env


@contextmanager
def running(env: dict[str, str], *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Killed at the end, if it still runs. It may not be ready yet."""
    process = subprocess.Popen([COMMAND, *words], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def waiting_page(address: str) -> Iterator[Callable[[], None]]:
    """A page that waits for its answer; what is given sees it come back. By hand where there is no chromium."""
    if MISSING:
        client = Client(address, SIGNED)
        sent = client.form("/ask", {"mark": client.get("/").mark, "question": ON_PAGE}).headers["location"]
        yield lambda: until_answered(client, sent)
        return
    with chromium() as browser:
        page = browser.new_context(extra_http_headers=SIGNED).new_page()
        page.goto(address)
        page.fill("#question", ON_PAGE)
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("heading", name="Looking for an answer").wait_for()

        def came_back() -> None:
            page.locator("h1.question").wait_for(timeout=60_000)
            assert "thirty days" in page.locator("main").inner_text()

        yield came_back


def until_answered(client: Client, place: str) -> None:
    until = time.monotonic() + 60
    while 'class="vote"' not in (page := client.get(place)).text and time.monotonic() < until:
        time.sleep(0.1)
    assert "thirty days" in page.text


def rows(url: str) -> list[int]:
    """Answers, those posted, and those that count as sent."""
    with psycopg.connect(url.replace("+psycopg", "")) as ledger:
        return [
            ledger.execute(f"select count(*) from {table}").fetchone()[0]  # type: ignore[index]
            for table in ("answers", "posted", "outbox where state = 'sent'")
        ]
