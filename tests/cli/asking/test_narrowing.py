"""What --source, --path and --after of `vouch ask` and `vouch search` hand on, and what they refuse."""

import contextlib
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from vouch.access import Directory, Permissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.filters import EVERYTHING, Filters

Vouch = Callable[..., tuple[int, str, str]]


class Taken:
    """Stands where questions and searches are handed to, and keeps their filters."""

    def __init__(self) -> None:
        self.filters: list[Filters] = []

    def permissions(self) -> Permissions:
        return Permissions.settled(1, {}, Directory())

    def ask(self, text: str, tags: object, *told: object, filters: Filters, **how: object) -> dict[str, Any]:
        self.filters.append(filters)
        return {"id": "a1", "action": "answered"}

    def search(
        self, text: str, tags: object, top: int, mode: str, filters: Filters, *, explain: bool
    ) -> dict[str, Any]:  # fmt: skip
        self.filters.append(filters)
        return {"results": [], "warnings": [], "fused_by": ""}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Taken:
    made = Taken()
    monkeypatch.setattr("cli.wiring.asking.open_ask_client", lambda: contextlib.nullcontext(made))
    monkeypatch.setattr("cli.wiring.asking.open_search", lambda: made)
    return made


@pytest.mark.parametrize("command", ["ask", "search"])
def test_options_become_filters(vouch: Vouch, taken: Taken, command: str) -> None:
    options = ("--source", "handbook", "--source", "rules", "--path", "hr/**", "--after", "2026-01-31",
               "--owner", "user:Ana@acme.test", "--owner", "group:people")
    code, out, _ = vouch(command, "leave", "--json", *options)
    assert code == 0 and json.loads(out)
    assert vouch(command, "leave", "--json")[0] == 0
    assert taken.filters == [
        Filters(sources=("handbook", "rules"), paths=("hr/**",), after=date(2026, 1, 31),
                owners=("user:ana@acme.test", "group:people")), EVERYTHING,
    ]


@pytest.mark.parametrize("wrong", [("--after", "soon"), ("--path", " "), ("--source", "a\x1b"),
                                   ("--owner", "ana"), ("--owner", "public")])
def test_what_is_no_filter_is_refused_before_anything_is_asked(
    vouch: Vouch, taken: Taken, wrong: tuple[str, str]
) -> None:
    for command in ("ask", "search"):
        code, _, err = vouch(command, "leave", *wrong)
        assert code == 2 and err.startswith(f"error: {wrong[0]} ") and f"write {wrong[0]} " in err
    assert not taken.filters


@pytest.mark.parametrize("pattern", ["hr/[", "hr/{a,b"])
def test_an_unfinished_pattern_is_refused_before_anything_is_asked(vouch: Vouch, taken: Taken, pattern: str) -> None:
    for command in ("ask", "search"):
        code, _, err = vouch(command, "leave", "--path", pattern)
        assert code == 2 and "unfinished" in err and "is never closed" in err
    assert not taken.filters


def test_an_unfinished_pattern_of_a_source_is_refused(vouch: Vouch, tmp_path: Path) -> None:
    for option in ("--include", "--exclude"):
        words = ("source", "add", "docs", "--kind", "folder", "--path", tmp_path, option)
        code, _, err = vouch(*words, "drafts/[a-")
        assert code == 2 and "unfinished" in err
    assert vouch(*words, "drafts/[a-z]*", "--exclude", "a\\[b.md")[0] == 0


def test_a_source_is_named_where_nothing_was_found_and_alike_whether_it_is_hidden_or_missing(
    vouch: Vouch, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("# Leave\n\nTwelve weeks of leave.\n")
    (tmp_path / "access.yaml").write_text('rules: [{match: "**", allow: [user:eve]}]\n')
    assert vouch("source", "add", "hidden", "--kind", "folder", "--path", tmp_path)[0] == 0
    assert vouch("ingest")[0] == 0
    told = {name: vouch("search", "leave", "--mode", "lexical", "--source", name, "--as", "user:ana")
            for name in ("hidden", "absent")}
    code, out, _ = told["absent"]
    assert code == 0 and "--source absent" in out and "no source of this name that these readers may read" in out
    assert told["hidden"] == (code, out.replace("absent", "hidden"), told["absent"][2])


def test_a_result_without_a_title_is_named_by_its_file(vouch: Vouch, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"rank": 1, "source": "docs", "path": "hr/leave.txt", "place": "lines 1-2", "section": [], "title": "",
           "flagged": False, "text": "Twelve weeks.", "chunk_id": "c1"}
    finder = SimpleNamespace(permissions=lambda: Permissions.settled(1, {}, Directory()), search=lambda *a, **k: {
        "results": [row], "warnings": [], "fused_by": ""}, analyser=SnowballAnalyser())
    monkeypatch.setattr("cli.wiring.asking.open_search", lambda: finder)
    assert "  1. leave.txt   [docs:hr/leave.txt, lines 1-2]" in vouch("search", "leave")[1]


def test_an_answer_says_what_it_was_narrowed_to() -> None:
    from bots.terminal import render

    answer = {"answer": "Twelve weeks.", "action": "declined", "reason": "no passage", "citations": [], "warnings": [],
              "filters": {"sources": ["handbook"], "paths": ["hr"]}, "confidence": SimpleNamespace()}
    assert "only from: source handbook; path hr" in [line.text for line in render(answer, 80)]


def test_a_wrong_day_is_told_as_one(vouch: Vouch) -> None:
    for wrong in ("yesterday", "2026-13-01", "2026-01-31T10:00"):
        told = vouch("search", "leave", "--after", wrong)[2].splitlines()
        assert told == ["error: --after is not a date such as 2026-01-31", "  try: write --after 2026-01-31"]
    told = vouch("search", "leave", "--after", "soon", "--owner", "public")[2]
    assert "--owner public owns nothing" in told and "write --after 2026-01-31, --owner user:NAME" in told
