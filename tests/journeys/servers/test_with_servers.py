"""The section of docs/servers.md that tries all four, followed word for word on real ones."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from machines.ledger_place import on_a_server
from servers.elastic import Elasticsearch
from servers.kafka import Kafka
from servers.postgres import Postgres
from servers.prefect import PrefectServer

pytestmark = [pytest.mark.model, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[3]
BEGIN, END = 'eval "$(make services)"', "make services-stop"


def section() -> list[str]:
    """The commands of the section."""
    page = (ROOT / "docs" / "servers.md").read_text(encoding="utf-8")
    found = re.search(r"^## Try all four\n.*?^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found
    return found[1].splitlines()


def test_the_section_is_followed_word_for_word(
    kafka_server: Kafka, postgres_server: Postgres, elasticsearch_server: Elasticsearch, tmp_path: Path
) -> None:
    first, *lines, last = section()
    assert (first, last) == (BEGIN, END)            # servers of the tests stand in for these two
    prefect = PrefectServer(tmp_path / "prefect")
    prefect.start()
    try:
        with on_a_server(postgres_server) as place:
            exported = {
                **{name: value for name, value in os.environ.items() if not name.startswith(("VOUCH_", "PREFECT_"))},
                **kafka_server.settings(), **elasticsearch_server.settings(), **prefect.settings(),
                "VOUCH_LEDGER__URL": place.url,
                "VOUCH_LOG__TOPIC_PREFIX": "readme.", "VOUCH_LEXICAL__INDEX_PREFIX": "readme",
                "HOME": str(tmp_path), "PREFECT_HOME": str(tmp_path / "prefect-client"), "DO_NOT_TRACK": "1",
            }  # fmt: skip
            said = followed(lines, exported)
            ledger = place.open()
            assert ledger.versions.current() == 1
            assert ledger.outbox.counts() == {"sent": 1}
    finally:
        prefect.remove()
    assert "$450" in said
    assert re.search(r"^up +ledger", said, re.MULTILINE) and not re.search(r"^DOWN", said, re.MULTILINE)
    home = tmp_path / ".vouch-with-servers"
    assert not (home / "ledger.sqlite").exists() and not (home / "log.sqlite").exists()


def followed(lines: list[str], environment: dict[str, str]) -> str:
    """What the commands say; each must succeed."""
    script = "set -em\n" + "\n".join(lines).replace(".venv/bin/", f"{shlex.quote(str(Path(sys.executable).parent))}/")
    shell = subprocess.Popen(
        ["bash", "-c", script], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        said, _ = shell.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        said = "not finished within 300 s"
        for pid in _children(shell.pid):
            os.killpg(pid, signal.SIGKILL)          # `set -m` gives each command a group of its own
        said += shell.communicate()[0]
    assert shell.returncode == 0, said
    return said


def _children(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [*map(int, children), pid]
