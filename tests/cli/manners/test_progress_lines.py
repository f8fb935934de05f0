"""What a long command prints where no line can move: in a pipe, a file, a log."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.terminal.progress_lines import EVERY_S, NEXT_S, ProgressLines


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_each_source_has_its_lines_and_long_work_one_now_and_then() -> None:
    lines, clock = list[str](), Clock()
    tell = ProgressLines(lines.append, clock)
    tell("looking at source a", 0, 0)
    tell("looking at source a", 0, 0)
    tell("source a: 40 changes found", 0, 0)
    clock.now = NEXT_S / 2
    tell("reading 1 of 40 documents", 1, 440)                   # too soon to be worth a line
    clock.now = NEXT_S
    tell("embedding 0 of 90 passages", 40, 440)
    for second in range(1, int(2 * EVERY_S) + 1):
        clock.now = NEXT_S + second
        tell(f"embedding {second} of 90 passages", 40 + second, 440)
    assert lines == [
        "looking at source a", "source a: 40 changes found", "embedding 0 of 90 passages (9 %)",
        "embedding 10 of 90 passages (11 %)", "embedding 20 of 90 passages (13 %)"]


def test_nothing_that_a_name_holds_steers_the_terminal_or_makes_a_line() -> None:
    lines = list[str]()
    ProgressLines(lines.append, Clock())("looking at source \x1b[2J\nb", 0, 0)
    [line] = lines
    assert "\n" not in line and "\x1b" not in line


@pytest.mark.model
@pytest.mark.slow
def test_an_ingest_in_a_pipe_tells_of_each_source_on_standard_error(vouch: Any, tmp_path: Path) -> None:
    for name in ("papers", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "leave.md").write_text(f"# Leave\n\nThe {name} say that parents get twelve weeks.\n")
        (tmp_path / name / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
        assert vouch("source", "add", name, "--kind", "folder", "--path", tmp_path / name)[0] == 0
    code, out, err = vouch("ingest")
    assert code == 0 and out.startswith("version 1:") and "looking at" not in out
    for name in ("papers", "notes"):
        assert f"looking at source {name}\nsource {name}: 1 change found\n" in err
    (tmp_path / "notes" / "more.md").write_text("# More\n\nThe kettle is in the kitchen.\n")
    code, out, err = vouch("ingest", "--json")
    assert code == 0 and [json.loads(line)["version"] for line in out.splitlines()] == [2] and err == ""
