"""`vouch serve` as people start it: one process with its models, killed while it answers, and started again."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from http_client import Client

COMMAND = Path(sys.executable).with_name("vouch")
QUESTION = "How many days of leave does everybody have?"


@contextmanager
def serving(env: dict[str, str], *words: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process, and the link that it prints; killed at the end if it still runs."""
    process = subprocess.Popen([COMMAND, "serve", "--port", "0", *words], env=env, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        link = process.stdout.readline().split()[-1]
        assert link.startswith("http://127.0.0.1:"), process.communicate(timeout=30)
        yield process, link
    finally:
        process.kill()
        process.wait()


def until_ready(client: Client) -> set[int]:
    """The statuses of /readyz on the way."""
    seen, until = set(), time.monotonic() + 120
    while 200 not in seen and time.monotonic() < until:
        seen.add(client.get("/readyz").status)
        time.sleep(0.05)
    return seen


@pytest.mark.model
@pytest.mark.slow
def test_it_answers_survives_a_kill_and_ends_when_told(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEverybody has thirty days of leave a year.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: ["user:ana"]}\n')
    (tmp_path / "people.yaml").write_text("people:\n  ana: {groups: []}\ngroups: {}\n")
    env = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    env |= {"VOUCH_HOME": str(tmp_path / "home"), "VOUCH_LOG_LEVEL": "info"}
    for words in (["source", "add", "docs", "--kind", "folder", "--path", docs],
                  ["directory", "load", tmp_path / "people.yaml"], ["ingest"]):
        subprocess.run([COMMAND, *map(str, words)], env=env, capture_output=True, timeout=180, check=True)

    with serving(env, "--as", "user:ana") as (process, link):
        address, _, path = link.partition("/enter")
        client = Client(address)
        assert client.get("/v1/me").status == 401
        assert client.get(f"/enter{path}").status == 303
        assert until_ready(client) == {503, 200}
        told = client.post("/v1/ask", {"question": QUESTION, "wait": 0})
        process.kill()                              # with the question in hand
        process.wait()
    with serving(env, "--as", "user:ana") as (process, link):
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
    assert process.returncode == 0 and out.endswith("ready\nstopped\n")
    assert "thirty" not in err and "leave" not in err and not re.search("enter.token", err)
