"""`vouch serve` as people start it, in a process of its own, and who asks it by a proxy."""

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from running import warm

from http_scene.http_client import Client

COMMAND = Path(sys.executable).with_name("vouch")
SIGNED = {"X-Person": "ana", "X-Vouch-Proxy-Secret": "a-secret-of-the-proxy"}
PROXY = {"VOUCH_HTTP__PROXY_HEADER": "X-Person", "VOUCH_HTTP__PROXY_PEERS": "127.0.0.1",
         "VOUCH_HTTP__PROXY_SECRET": SIGNED["X-Vouch-Proxy-Secret"]}


def made_home(place: Path, *people: str) -> dict[str, str]:
    """The environment of a home with a document that `people` alone may read: ana, unless others are named."""
    people = people or ("ana",)
    docs = place / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEverybody has thirty days of leave a year.\n")
    allowed = json.dumps([f"user:{one}" for one in people])
    (docs / "access.yaml").write_text(f'rules:\n  - {{match: "**", allow: {allowed}}}\n')
    (place / "people.yaml").write_text("people:\n" + "".join(f"  {one}: {{groups: []}}\n" for one in people)
                                       + "groups: {}\n")
    env = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    env |= {"VOUCH_HOME": str(place / "home"), "VOUCH_LOG_LEVEL": "info"}
    for words in (["source", "add", "docs", "--kind", "folder", "--path", docs],
                  ["directory", "load", place / "people.yaml"], ["ingest"]):
        warm.run([COMMAND, *map(str, words)], env=env, capture_output=True, timeout=180, check=True)
    return env


@contextmanager
def serving(
    env: dict[str, str], *words: str, port: str = "0", start: "type[subprocess.Popen[str]]" = warm.Popen
) -> Iterator[tuple["subprocess.Popen[str]", str]]:  # fmt: skip
    """The process, and the link that it prints; killed at the end if it still runs."""
    process = start([COMMAND, "serve", "--port", port, *words], env=env, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        link = _line(process.stdout.fileno()).split()[-1]
        assert link.startswith("http://127.0.0.1:"), process.communicate(timeout=30)
        yield process, link
    finally:
        process.kill()
        process.wait()


def _line(handle: int) -> str:
    """One line and no more, so that what comes after it is there for whoever reads on."""
    line = b""
    while not line.endswith(b"\n") and (sign := os.read(handle, 1)):
        line += sign
    return line.decode()


def until_ready(client: Client) -> set[int]:
    """The statuses of /readyz on the way."""
    seen, until = set(), time.monotonic() + 120
    while 200 not in seen and time.monotonic() < until:
        seen.add(client.get("/readyz").status)
        time.sleep(0.05)
    return seen


@contextmanager
def served_again(
    env: dict[str, str], port: str, start: "type[subprocess.Popen[str]]" = warm.Popen
) -> Iterator[tuple["subprocess.Popen[str]", str]]:  # fmt: skip
    with serving(env, port=port, start=start) as (process, link):
        yield process, link.rstrip("/")


def events(address: str, at: str, until: str, last: str = "") -> tuple[list[str], str]:
    """The kinds of what is told of a question, to the first of the kind `until`, and the number of the last."""
    host, _, port = address.removeprefix("http://").partition(":")
    headers = {**SIGNED, **({"Last-Event-ID": last} if last else {})}
    with closing(http.client.HTTPConnection(host, int(port), timeout=120)) as connection:
        connection.request("GET", f"{at}/events", headers=headers)
        response, kinds = connection.getresponse(), []
        while line := response.readline().decode():
            name, _, value = line.strip().partition(": ")
            last = value if name == "id" else last
            if name == "event":
                kinds.append(value)
                if value == until:
                    break
    return kinds, last
