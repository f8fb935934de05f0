"""Words that no log, ledger or model takes are refused with a reason wherever they are typed."""

import json
from pathlib import Path
from typing import Any

import pytest

COMMANDS = [
    ["search", "travel \udcff"], ["ask", "travel \udcff"], ["search", "travel", "--as", "user:\udcff"],
    ["notify", "\udcff"], ["source", "add", "docs", "--kind", "folder", "--path", "/tmp/\udcff"],
    ["feedback", "x", "up", "--reason", "\udcff"], ["purge", "docs:\udcff", "--yes"],
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]).encode("ascii", "replace").decode())
def test_a_word_that_is_not_utf8_is_refused_before_anything_is_opened(vouch: Any, home: Path, words: list[str]) -> None:
    code, out, err = vouch(*words)
    assert (code, out) == (2, "") and "not UTF-8" in err
    assert not home.exists()


@pytest.mark.parametrize("command", [["search", "--queries"], ["ask", "--questions"]])
def test_half_a_character_in_a_file_of_questions_is_refused(vouch: Any, tmp_path: Path, command: list[str]) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps({"text": "travel \ud83d"}) + "\n")
    code, out, err = vouch(*command, file)
    assert (code, out) == (5, "") and "line 1 holds an invalid character (a lone surrogate" in err
