"""`vouch slack simulate` that is stopped, or gets a folder it cannot use."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.demos import company_folder, simulation
from cli.wiring import slack
from vouch.errors import BadInput

Vouch = Callable[..., tuple[int, str, str]]


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulation itself is one line."""
    def act(line: str) -> list[Any]:
        raise BadInput("nobody", cure="say who")

    @contextmanager
    def opened(*_: Any, **more: Any) -> Iterator[Any]:
        yield SimpleNamespace(look=lambda: [], prompt="> ", act=act)

    monkeypatch.setattr(slack, "open_slack_simulation", opened)
    monkeypatch.setattr("sys.stdin", io.StringIO())


def test_who_stops_it_while_documents_are_read_finds_them_read_anew(
    vouch: Vouch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, played: None
) -> None:
    ran: list[str] = []

    def stopped(words: list[str]) -> None:
        ran.append(words[0])
        if words[0] == "ingest" and ran.count("ingest") == 1:
            raise KeyboardInterrupt
        (tmp_path / "home").mkdir(exist_ok=True)

    monkeypatch.setattr(company_folder, "run_command", stopped)
    for ingests in (1, 2, 2):           # and the third time it is there
        code, out, err = vouch("slack", "simulate", "--folder", tmp_path)
        assert code == 0 and ("stopped" in out) is (len(ran) == 4) and ran.count("ingest") == ingests, err
        assert "kept" not in out + err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ImportError("KeyboardInterrupt: ")])
def test_an_interrupt_is_a_stop_whatever_library_it_hits(
    vouch: Vouch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def hit(*_: Any) -> None:
        raise error

    monkeypatch.setattr(simulation, "prepare_once", hit)
    code, out, err = vouch("slack", "simulate")
    assert code == 0 and "stopped" in out and "error" not in err


def test_a_command_within_that_is_stopped_stops_it_too(
    vouch: Vouch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, played: None
) -> None:
    def hit() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cli.wiring.ingest.ingest_components", hit)
    code, out, _ = vouch("slack", "simulate", "--folder", tmp_path)
    assert code == 0 and "stopped" in out and (tmp_path / "unfinished").exists()


def test_what_cannot_be_done_is_told_where_the_rest_is(
    vouch: Vouch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, played: None
) -> None:
    monkeypatch.setattr(simulation, "prepare_once", lambda place: None)
    monkeypatch.setattr("sys.stdin", io.StringIO(":as nobody\n"))
    assert "no: nobody; say who" in vouch("slack", "simulate")[1]


def test_at_a_terminal_lines_can_be_edited(
    vouch: Vouch, monkeypatch: pytest.MonkeyPatch, played: None
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    asked: list[str] = []
    monkeypatch.setattr(simulation, "prepare_once", lambda place: None)
    monkeypatch.setattr(simulation, "import_module", asked.append)
    monkeypatch.setattr("sys.stdin", Terminal())
    vouch("slack", "simulate")
    assert asked == ["readline"]


@pytest.mark.parametrize("folder", ["/etc/passwd", "/proc/x"])
def test_a_folder_that_cannot_be_used_is_told(vouch: Vouch, folder: str) -> None:
    code, _, err = vouch("slack", "simulate", "--folder", folder)
    assert code == 2 and f"{folder} cannot be used as a folder" in err and "internal" not in err


def test_of_two_on_one_folder_the_second_is_refused(
    vouch: Vouch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, played: None
) -> None:
    monkeypatch.setattr(simulation, "prepare_once", lambda place: None)
    with company_folder.company_folder(tmp_path):
        code, _, err = vouch("slack", "simulate", "--folder", tmp_path)
        assert code == 7 and f"another vouch slack simulate has {tmp_path} open" in err and ":quit" in err
        assert vouch("slack", "simulate", "--folder", tmp_path / "other")[0] == 0
    assert vouch("slack", "simulate", "--folder", tmp_path)[0] == 0
