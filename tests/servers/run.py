"""Starts and stops real servers for people: `make services`, `make services-stop`.

Standard output is what a shell exports; all else goes to standard error.
"""

import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from servers.docker import Container, remove
from servers.elastic import Elasticsearch
from servers.files import Missing, cache_folder
from servers.kafka import Kafka
from servers.postgres import Postgres
from servers.prefect import PrefectServer
from servers.process import Process, birth, end_family
from servers.server import Server

KINDS: tuple[Callable[[Path], Server], ...] = (Postgres, Kafka, Elasticsearch, PrefectServer)
ROOT = Path(__file__).resolve().parents[2]
# One set of servers for each copy of the repository.
PLACE = cache_folder().with_name("services") / f"{ROOT.name}-{hashlib.sha256(str(ROOT).encode()).hexdigest()[:8]}"
STATE = PLACE / "running.json"


def start() -> None:
    """All that can be had here run, with empty data; each one's settings are printed."""
    stop()
    PLACE.mkdir(parents=True, exist_ok=True)
    PLACE.chmod(0o755)
    begun: list[dict[str, str]] = []
    for number, kind in enumerate(KINDS):
        try:
            server = kind(PLACE / str(number))
            say(f"starting {server.name}")
            server.start()
        except Missing as missing:
            say(str(missing))
            continue
        begun.append(_handle(server.runs))
        STATE.write_text(json.dumps(begun))
        for setting, value in server.settings().items():
            print(f"export {setting}={value}", flush=True)


def stop() -> None:
    """None of those that `start` began run any more; their data are gone."""
    for handle in json.loads(STATE.read_text()) if STATE.exists() else []:
        if "container" in handle:
            remove(handle["container"])
        elif birth(int(handle["pid"])) == handle["birth"]:
            end_family(int(handle["pid"]), signal.Signals(int(handle["gently"])))
    shutil.rmtree(PLACE, ignore_errors=True)


def say(words: str) -> None:
    print(f"# {words}", file=sys.stderr, flush=True)


def _handle(runs: Process | Container) -> dict[str, str]:
    if isinstance(runs, Container):
        return {"container": runs.name}
    return {"pid": str(runs.pid), "birth": birth(runs.pid), "gently": str(int(runs.gently))}


if __name__ == "__main__":
    os.umask(0o022)
    {"start": start, "stop": stop}[sys.argv[1]]()
