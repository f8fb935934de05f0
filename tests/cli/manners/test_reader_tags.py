"""A reader who is named without `user:` or `group:`: who was meant, by the directory."""

from pathlib import Path
from typing import Any

import pytest

DIRECTORY = """people:
  ana@acme.test: {groups: [staff]}
  ben@acme.test: {groups: [staff]}
  ben@other.test: {}
groups: {staff: {}}
"""


@pytest.mark.parametrize(("named", "meant"), [
    ("ana", "user:ana@acme.test"),
    ("Ana", "user:ana@acme.test"),
    ("anna", "user:ana@acme.test"),
    ("ben", "user:ben@acme.test or user:ben@other.test"),
    ("staff", "group:staff"),
    ("zoe", "user:zoe"),
    ("everyone", ""),
    ("zoe of sales", ""),
])
def test_the_directory_says_who_was_meant(vouch: Any, tmp_path: Path, named: str, meant: str) -> None:
    (tmp_path / "directory.yaml").write_text(DIRECTORY)
    assert vouch("directory", "load", tmp_path / "directory.yaml")[0] == 0
    hint = f"; did you mean {meant}?" if meant else ""
    for words in (("search", "x", "--mode", "lexical", "--as"), ("feedback", "abc", "up", "--as"),
                  ("golden", "add", "x", "--not-answered", "--as"), ("mcp", "--as"), ("serve", "--as"),
                  ("label", "--as"), ("examples", "status", "--as"), ("access", "what")):
        code, out, err = vouch(*words, named)
        assert (code, out) == (5, "") and err.startswith(f"error: {named!r} is not an access tag{hint}\n"), words
        assert "did you mean" in err or not meant


def test_a_ledger_that_cannot_be_read_does_not_hide_what_is_wrong(vouch: Any, home: Path) -> None:
    home.mkdir()
    (home / "ledger.sqlite").write_text("no database")
    code, _, err = vouch("search", "x", "--as", "ana")
    assert code == 5 and "'ana' is not an access tag; did you mean user:ana?" in err
