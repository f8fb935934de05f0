"""Width, colours and the moving line at a terminal; nothing of it in a pipe."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from running import warm
from running.cli_terminal import ROOT, at_terminal, left_on_screen

from bots.wrapping import Line, cells
from cli.terminal import activity, screen
from cli.terminal.output import say_wrapped, table
from flows.shared.reporting import StepProgress

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
MOVING = re.compile(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] ")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def papers(vouch: Any, tmp_path: Path) -> Path:
    """Two sources with long paths, in a home."""
    for name in ("papers", "notes"):
        folder = tmp_path / name / ("a-folder-with-a-long-name/" * 2)
        folder.mkdir(parents=True)
        (folder / "leave.md").write_text("# Leave\n\nParents get twelve weeks of paid leave in every year.\n" * 3)
        (tmp_path / name / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
        assert vouch("source", "add", name, "--kind", "folder", "--path", tmp_path / name)[0] == 0
    return tmp_path


@pytest.mark.parametrize("columns", [60, 200])
def test_lists_fit_the_terminal_and_lose_nothing(papers: Path, columns: int) -> None:
    for words in (("source", "list"), ("status",), ("doctor",)):
        lines = [COLOUR.sub("", line) for line in left_on_screen(at_terminal(*words, columns=columns)[0])]
        lines = [line for line in lines if not line.lstrip().startswith(("error:", "try:"))]    # commands to be copied
        assert len(lines) > 2 and max(cells(line) for line in lines if " " in line.strip()) <= columns, words
        if words[0] == "source":
            assert "access.yaml" in "".join("".join(lines).split())


def test_colours_are_for_terminals_whose_person_wants_them(papers: Path) -> None:
    assert COLOUR.search(at_terminal("status")[0])
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert not COLOUR.search(at_terminal("status", env=env)[0]), env
    done = warm.run([sys.executable, "-m", "cli.main", "status"], capture_output=True, cwd=ROOT,
                    env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "60"})
    assert b"\x1b" not in done.stdout + done.stderr and b"\r" not in done.stdout + done.stderr


@pytest.mark.model
@pytest.mark.slow
def test_long_commands_say_at_once_what_they_do_and_leave_plain_lines(papers: Path) -> None:
    words = {
        "ingest": ("ingest",), "rebuild": ("rebuild",), "ask": ("ask", "How long is leave?"),
        "search": ("search", "leave"),
        "doctor": ("doctor",), "purge": ("purge", "notes:x.md", "--dry-run"), "ingest again": ("ingest", "--dry-run"),
        "verify": ("versions", "verify"), "access check": ("access", "check"), "documents": ("documents",),
    }
    load = max(os.getloadavg()[0], 1.0)
    for name, command in words.items():
        said, first, _ = at_terminal(*command, start=subprocess.Popen)
        assert MOVING.search(said), name
        assert first < 0.5 * (1 + load), f"{name}: {first:.2f} s at load {load:.1f}"
        assert not MOVING.search("\n".join(left_on_screen(said))), name
        done = warm.run([sys.executable, "-m", "cli.main", *command], capture_output=True, cwd=ROOT)
        assert b"\x1b" not in done.stdout + done.stderr and b"\r" not in done.stdout + done.stderr, name


@pytest.mark.model
@pytest.mark.slow
def test_an_ingest_has_one_bar_from_reading_to_publishing(papers: Path) -> None:
    said = at_terminal("ingest", columns=100, env={"VOUCH_INGEST__BATCH_DOCUMENTS": "1"})[0]
    shares = [int(share) for share in re.findall(r"(\d+) %", said)]
    assert (shares == sorted(shares) and shares and "looking at source" in said) or "starting" in said


def test_a_step_tells_all_of_it_on_one_scale() -> None:
    told: list[tuple[str, int, int]] = []
    far = StepProgress(lambda *row: told.append(row), documents=5, batch=2)
    for number, size in enumerate((2, 2, 1)):
        for done in range(1, size + 1):
            far.read(number, done)
        for done in (0, 3, 6):
            far.embedded(number, done, 6)
    far.publishes()
    shares = [done / total for _, done, total in told]
    assert shares == sorted(shares) and 0 < shares[0] < 0.1 and 0.85 < shares[-1] < 1
    assert len({total for _, _, total in told}) == 1
    assert [stage for stage, _, _ in told][2:6] == [
        "embedding 0 of 6 passages", "embedding 3 of 6 passages",
        "embedding 6 of 6 passages", "reading 3 of 5 documents"]
    StepProgress(lambda *row: told.append(row), documents=0, batch=2).publishes()
    assert told[-1][2] > 0


def test_what_others_print_takes_the_moving_line_away(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(activity, "EVERY_S", 60.0)
    with activity.progress("working \x1b[2J") as tell:
        print("a result")
        before = err.getvalue()
        tell("more", 1, 2)
    assert before == "\r⠙ working \\x1b[2J\x1b[K\r\x1b[K" and out.getvalue() == "a result\n"
    assert (sys.stdout, sys.stderr) == (out, err)


def test_results_go_where_they_were_sent_while_the_line_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = io.StringIO(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with activity.waiting("working"):
        print("a result")
    assert out.getvalue() == "a result\n" and "a result" not in err.getvalue()


@pytest.mark.parametrize("columns", [24, 40, 60, 200])
def test_tables_fit_and_keep_every_sign(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    rows = [("notes", "folder", "/home/ana/documents/of-the-company/notes", "group:people, group:people-leads"),
            ("日本語の名前", "git", "/srv/git/rules.git:main", None)]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(screen, "width", lambda: columns)
    table(["name", "kind", "path", "readers"], rows)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cells, lines)) <= max(columns, 4 * 8 + 6)
    for row in rows:
        for value in filter(None, row):
            assert sorted("".join(lines)).count(value[0]) >= 1
    if columns == 200:
        assert len(lines) == 3 and "group:people, group:people-leads" in lines[1]


def test_a_long_cell_widens_no_other_row_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    long = "a-folder-with-a-long-name/" * 5 + "leave.md"
    table(["source", "path", "state"], [("hr", "a.md", "indexed"), ("hr", long, "indexed"), ("finance", "", "empty")])
    heading, short, wide, last = capsys.readouterr().out.splitlines()
    assert wide == f"hr       {long}  indexed"
    assert short == f"hr       {'a.md':32}  indexed" and last == f"finance  {'':32}  empty"
    assert heading == f"source   {'path':32}  state"


def test_sentences_are_set_in_where_they_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    say_wrapped(Line("ok  ", "good"), " index: " + "sound " * 20)
    assert len(capsys.readouterr().out.splitlines()) == 1, "a line in a pipe stays one"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(screen, "width", lambda: 40)
    say_wrapped(Line("ok  ", "good"), " index: " + "sound " * 20)
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert COLOUR.sub("", first).startswith("ok   index: sound") and second.startswith("     sound")


def test_time_left_is_told_of_the_work_that_is_done_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read in a moment says nothing of how long embedding takes."""
    now = iter([0.0, 0.0, 10.0, 10.0, 40.0])   # made, reading, embedding, the two lines
    monkeypatch.setattr("cli.terminal.activity.time", SimpleNamespace(monotonic=lambda: next(now)))
    shown = activity.Activity(Terminal(), "looking")
    shown.tell("reading 50 of 100 documents", 50, 1100)
    shown.tell("embedding 0 of 300 passages", 100, 1100)
    assert "left" not in shown._line()
    shown.tell("embedding 100 of 300 passages", 400, 1100)
    assert "70 s left" in shown._line()
