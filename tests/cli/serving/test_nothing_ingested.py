"""`vouch serve` before the first ingest: it says what is missing, at its start and to whoever asks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from http_scene.http_client import Client

from bots.mcp.tools import told
from cli.serving.serve import NOTHING_YET
from cli.wiring.http import serving
from vouch.errors import NothingIngested

CAUSE, CURE = "nothing has been ingested yet", "whoever runs vouch does so with: vouch ingest"


def test_programs_and_people_are_told_what_is_missing_and_who_can_help(home: Path) -> None:
    with serving.open_http_service(None, 0) as service:
        assert service.is_empty
        client = Client(service.address)
        asked = [client.post("/v1/ask", {"question": "How many days of leave?"}),
                 client.post("/v1/search", {"query": "leave"})]
        paths = ("documents", "documents/docs/leave.md", f"chunks/{'0' * 32}")
        for problem in (*asked, *(client.get(f"/v1/{path}") for path in paths)):
            assert problem.status == 503 and (problem.json["detail"], problem.json["cure"]) == (CAUSE, CURE)
            assert problem.json["type"] == "urn:vouch:problem:nothing-ingested"
        page = client.form("/ask", {"mark": client.get("/").mark, "question": "How many days of leave?"})
        assert page.status == 503 and CAUSE in page.text and CURE in page.text and "inside" not in page.text


def test_an_assistant_is_told_the_same() -> None:
    assert told(NothingIngested()) == f"{CAUSE} ({CURE})"


@pytest.mark.parametrize("is_empty", [True, False])
def test_the_start_says_so_only_where_nothing_is_there(
    vouch: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, is_empty: bool
) -> None:
    @contextmanager
    def opened(*_: Any) -> Iterator[Any]:
        yield SimpleNamespace(link="http://127.0.0.1:1", works=False, is_empty=is_empty, run=lambda ready: ready())

    monkeypatch.setattr(serving, "open_http_service", opened)
    code, out, err = vouch("serve")
    assert code == 0 and (NOTHING_YET in out + err) is is_empty


@pytest.mark.parametrize("at", ["open", "run"])
def test_who_stops_it_before_it_is_ready_is_told_that_it_stopped(
    vouch: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    @contextmanager
    def opened(*_: Any) -> Iterator[Any]:
        if at == "open":
            interrupted()
        yield SimpleNamespace(link="http://127.0.0.1:1", works=False, is_empty=False, run=interrupted)

    monkeypatch.setattr(serving, "open_http_service", opened)
    code, out, err = vouch("serve")
    assert code == 0 and "stopped" in out + err and "interrupted" not in out + err
