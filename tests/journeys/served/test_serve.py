"""`vouch serve` as people start it: one process with its models, killed while it answers, and started again."""

import re
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from http_scene.http_client import Client
from http_scene.served import PROXY, SIGNED, events, made_home, served_again, serving, until_ready
from http_scene.watched_browser import MISSING, chromium

QUESTION = "How many days of leave does everybody have?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return made_home(tmp_path_factory.mktemp("served"))


@pytest.mark.model
@pytest.mark.slow
def test_it_answers_survives_a_kill_and_ends_when_told(home: dict[str, str]) -> None:
    with serving(home, "--as", "user:ana") as (process, link):
        address, _, path = link.partition("/enter")
        client = Client(address)
        assert client.get("/v1/me").status == 401
        assert client.get(f"/enter{path}").status == 303
        assert until_ready(client) == {503, 200}
        told = client.post("/v1/ask", {"question": QUESTION, "wait": 0})
        process.kill()                              # with the question in hand
        process.wait()
    with serving(home, "--as", "user:ana") as (process, link):
        address, _, path = link.partition("/enter")
        client = Client(address)
        client.get(f"/enter{path}")
        assert client.get("/").status == 200
        place, until = told.json["answer_at"], time.monotonic() + 120
        while (answer := client.get(place)).status == 202 and time.monotonic() < until:
            time.sleep(0.1)
        assert answer.status == 200 and "thirty days" in answer.json["answer"]
        page = client.ask_on_page(QUESTION)
        assert page.status in (200, 202)
        threading.Timer(0.2, process.terminate).start()
        out, err = process.communicate(timeout=60)
    loading = "loading the models: the encoder that comes with vouch, the reranker that comes with vouch\n"
    assert process.returncode == 0 and out == f"{loading}ready\nstopped\n"
    assert "thirty" not in err and "leave" not in err and not re.search("enter.token", err)


QUESTIONS = [f"How many days of leave has somebody {who}?" for who in ("new", "old", "ill", "away", "here", "there")]


@pytest.mark.model
@pytest.mark.slow
def test_killed_while_it_streams_it_loses_no_question_and_answers_none_twice(home: dict[str, str]) -> None:
    env, asked, seen = {**home, **PROXY}, dict[str, str](), dict[str, str]()
    with served_again(env, "0") as (process, address):
        client, port = Client(address, SIGNED), address.rpartition(":")[2]
        until_ready(client)
        for number, question in enumerate(QUESTIONS):
            told = client.post("/v1/ask", {"question": question, "wait": 0}, Idempotency_Key=str(number))
            asked[question] = told.json["answer_at"]
        told_of, last = events(address, asked[QUESTIONS[-1]], "stage")
        assert told_of == ["stage"]
        process.kill()                              # while the stream is open and others wait
    for kill in (True, False):                      # once more as soon as one answer is there
        with served_again(env, port) as (process, address):
            client = Client(address, SIGNED)
            for question, at in asked.items():
                assert events(address, at, "answer", last)[0][-1] == "answer"
                answer = client.get(at).json
                assert answer["question"] == question and "thirty days" in answer["answer"]
                assert seen.setdefault(question, answer["id"]) == answer["id"]
                if kill:
                    process.kill()
                    break
            if not kill:
                for number, question in enumerate(QUESTIONS):
                    again = client.post("/v1/ask", {"question": question}, Idempotency_Key=str(number))
                    assert again.json["id"] == seen[question]
                page = client.get("/questions").text
                assert [page.count(question) for question in QUESTIONS] == [1] * len(QUESTIONS)
                until = time.monotonic() + 150      # who was killed after a post keeps it for two minutes
                while _rows(env, asked) != [len(QUESTIONS)] * 3 and time.monotonic() < until:
                    time.sleep(0.1)
    assert _rows(env, asked) == [len(QUESTIONS)] * 3


def _rows(env: dict[str, str], asked: dict[str, str]) -> list[int]:
    """Answers of the questions, those posted, and those that count as sent."""
    names = [at.rpartition("/")[2] for at in asked.values()]
    marks = ", ".join("?" * len(names))
    with closing(sqlite3.connect(Path(env["VOUCH_HOME"]) / "ledger.sqlite")) as ledger:
        return [
            ledger.execute(f"select count(*) from {table} where question_id in ({marks}) {state}", names).fetchone()[0]
            for table, state in (("answers", ""), ("posted", ""), ("outbox", "and state = 'sent'"))
        ]


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.skipif(MISSING, reason="there is no chromium here")
def test_the_page_that_waits_comes_back_to_its_answer_after_a_kill(home: dict[str, str]) -> None:
    env = {**home, **PROXY}
    with chromium() as browser:
        page = browser.new_context(extra_http_headers=SIGNED).new_page()
        with served_again(env, "0") as (process, address):
            client, port = Client(address, SIGNED), address.rpartition(":")[2]
            until_ready(client)
            for number in range(8):                 # so that the page has to wait
                client.post("/v1/ask", {"question": f"{QUESTION} {number}", "wait": 0})
            page.goto(address)
            page.fill("#question", QUESTION)
            page.get_by_role("button", name="Ask").click()
            page.get_by_role("heading", name="Looking for an answer").wait_for()
            process.kill()
        page.wait_for_timeout(1500)
        assert page.get_by_role("heading", name="Looking for an answer").is_visible()
        with served_again(env, port):
            page.locator("h1.question").wait_for(timeout=120_000)
            assert "thirty days" in page.locator("main").inner_text()
