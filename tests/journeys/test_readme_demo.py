"""What README.md shows of a terminal is what the commands print, less whole lines."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import warm

pytestmark = [pytest.mark.model, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
SOURCES = """
vouch source add handbook --kind events --path handbook/events.jsonl.gz --access handbook/access.yaml
vouch source add company --kind folder --path company
vouch directory load directory.yaml
vouch ingest
"""


def shown(page: str) -> list[tuple[str, list[str]]]:
    """Each command of the block, and the lines below it."""
    [block] = re.findall(r"^```\n(\$ vouch.*?)^```", page, re.MULTILINE | re.DOTALL)
    told: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            told.append((line[2:], []))
        else:
            told[-1][1].append(line)
    return told


def missing(wanted: list[str], printed: str) -> list[str]:
    """Lines that are not printed, or not in this order."""
    lines = iter(printed.splitlines())
    return [line for line in wanted if line not in lines]


@pytest.fixture(scope="module")
def printed(demo_home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """What each command prints, on the sources of a copy that may be edited. Vectors are those of the demo home."""
    place = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "examples", place / "examples")
    (place / "home").mkdir()
    shutil.copy(demo_home / "embeddings.sqlite", place / "home")

    def run(words: str) -> str:
        """As a shell does; a command of vouch alone without one."""
        name, *more = shlex.split(words)
        alone = name == "vouch" and not re.search(r"[|&;<>$`*]", words)
        in_shell = ["bash", "-ec", f"export PATH={shlex.quote(str(BIN))}:$PATH\n{words}"]
        start, command = (warm.run, [BIN / name, *more]) if alone else (subprocess.run, in_shell)
        done = start(command, cwd=place / "examples", capture_output=True, text=True, timeout=300,
                     env={**os.environ, "VOUCH_HOME": str(place / "home")})
        assert done.returncode == 0, done.stderr
        return done.stdout

    for command in SOURCES.strip().splitlines():
        run(command)
    return {number: run(command) for number, (command, _) in enumerate(shown(README))}


def test_what_is_shown_is_printed(printed: dict[int, str]) -> None:
    told = shown(README)
    assert len(told) == 5 and sum(len(lines) for _, lines in told) > 12
    assert [missing(lines, printed[number]) for number, (_, lines) in enumerate(told)] == [[] for _ in told]


def test_a_line_that_is_not_printed_would_be_seen(printed: dict[int, str]) -> None:
    lines = shown(README)[1][1]
    assert missing([lines[1], lines[0]], printed[1]) == [lines[0]]
    assert missing(["A plan lasts 61 days."], printed[1]) == ["A plan lasts 61 days."]
