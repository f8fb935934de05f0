"""What administrators are told while the index holds documents of another place, or source, of the same name."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.wiring.administration import open_administration
from flows.wiring.ingesting import build_components
from indexers.versions.version import GENERATION
from vouch.access_check.sources import UNREAD
from vouch.documents.document import DocumentRecord

Vouch = Callable[..., tuple[int, str, str]]


def folder(place: Path, rules: str, *names: str) -> Path:
    place.mkdir()
    (place / "access.yaml").write_text(rules)
    for name in names:
        (place / name).write_text("Words.\n")
    return place


def publish(*paths: str) -> None:
    """A version with these documents of the source there is now, scanned as a whole."""
    parts = open_administration()
    base = parts.store.open_current()
    generation = parts.ledger.sources.get("docs").generation
    parts.store.publish(
        base, changed=[DocumentRecord("docs", path, "1", "indexed") for path in paths], moved={},
        removed=[header.place for header in (base.documents() if base else ())],
        cursors={"docs": {GENERATION: generation}}, vectors=lambda keys: None,
        fingerprints=build_components().fingerprints,
    )  # fmt: skip
    parts.watched.refresh()
    parts.ledger.access.scan_ended(["docs"], parts.ledger.access.scan_begins(["docs"]))


def another_path(vouch: Vouch, kitchen: Path) -> None:
    assert vouch("source", "set", "docs", "--path", kitchen)[0] == 0


def another_source(vouch: Vouch, kitchen: Path) -> None:
    assert vouch("source", "remove", "docs")[0] == 0
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", kitchen)[0] == 0


@pytest.fixture(params=[another_path, another_source])
def former(request: pytest.FixtureRequest, vouch: Vouch, tmp_path: Path) -> Vouch:
    """The command line on a home whose index holds a page of a former place that the rules of now would open."""
    old = folder(tmp_path / "old", 'rules: [{match: "**", allow: public}]\n', "pay.md")
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", old)[0] == 0
    publish("pay.md")
    assert "may read docs:pay.md" in vouch("access", "explain", "public", "docs:pay.md")[1]
    assert vouch("source", "list")[2] == "" and "vouch ingest" not in vouch("access", "check", "docs")[2]
    request.param(vouch, folder(tmp_path / "new", 'rules: [{match: "m*.md", allow: public}]\n', "menu.md"))
    return vouch


def test_lists_and_checks_show_the_rules_there_are_and_name_the_ingest_as_the_cure(former: Vouch) -> None:
    hidden = f"docs: nobody may read its 1 document yet: {UNREAD}"
    _, out, err = former("source", "list")
    assert " 1 rule" in out and "no access rules" not in err and err.count("docs: ") == 1 and hidden in err
    _, out, err = former("access", "check", "docs")
    assert "docs: 1 document, 1 rule\n" in out and hidden in err and "no access rules" not in err
    assert "matches none of the 1 document" not in err, "its own document is menu.md, which the rule matches"
    assert hidden in former("doctor")[1]


def test_explain_names_the_missing_scan_and_the_rule_there_is(former: Vouch) -> None:
    out = former("access", "explain", "public", "docs:pay.md")[1]
    assert "public may not read docs:pay.md" in out and f"refused: {UNREAD}" in out
    (one,) = (json.loads(line) for line in former("documents", "--json")[1].splitlines())
    assert one["effective"] == []


def test_the_rules_are_not_blamed_where_they_would_let_in(former: Vouch, tmp_path: Path) -> None:
    (tmp_path / "new" / "access.yaml").write_text('rules: [{match: "**", allow: public}]\n')
    row: dict[str, Any] = json.loads(former("access", "explain", "public", "docs:pay.md", "--json")[1])
    assert (row["allowed"], row["rule"], row["allow"]) == (False, "**", ["public"])
    assert row["refused_by"] == [UNREAD]
    assert "can be read by nobody" in former("access", "who", "docs:pay.md")[1]


def test_once_it_was_ingested_nothing_is_odd(former: Vouch) -> None:
    publish("menu.md")
    assert former("source", "list")[2] == "" and former("access", "check", "docs")[2] == ""
    assert "may read docs:menu.md" in former("access", "explain", "public", "docs:menu.md")[1]
