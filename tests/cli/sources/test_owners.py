"""Owners and examples as a person meets them at the command line; no model is loaded."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from learning_scene.past_answers import put

from vouch.adapters.ledger import open_ledger

ANA, BEN = "user:ana@acme.test", "user:ben@acme.test"
RULES = """rules:
  - {match: "**", allow: [public]}
  - {match: "people/**", allow: ["group:people"]}
owners:
  - {match: "**", owners: "group:handbook"}
  - {match: "people/**", owners: ["user:ben@acme.test"]}
"""


@pytest.fixture
def papers(vouch: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "people").mkdir(parents=True)
    (folder / "badges.md").write_text("# Badges\n\nDoor badges are given out at the front desk.\n")
    (folder / "people" / "pay.md").write_text("# Pay\n\nPay is paid monthly.\n")
    (folder / "access.yaml").write_text(RULES)
    (tmp_path / "directory.yaml").write_text(
        "people:\n  ana@acme.test: {groups: [people]}\n  ben@acme.test: {groups: []}\ngroups: {people: {}}\n")
    assert vouch("directory", "load", tmp_path / "directory.yaml")[0] == 0
    assert vouch("source", "add", "papers", "--kind", "folder", "--path", folder)[0] == 0
    return folder


def test_before_an_ingest_gaps_say_that_there_is_no_index(vouch: Any, papers: Path) -> None:
    code, out, err = vouch("gaps")
    assert code == 3 and "no gaps" not in out and "there is no index yet" in err and "vouch ingest" in err


@pytest.mark.model
def test_owners_are_told_wherever_documents_are(vouch: Any, papers: Path) -> None:
    assert vouch("ingest")[0] == 0
    rows = {row["path"]: row["owners"] for row in map(json.loads, vouch("documents", "--json")[1].splitlines())}
    assert rows == {"badges.md": ["group:handbook"], "people/pay.md": [BEN]}
    assert "owners" in (out := vouch("documents")[1]) and BEN in out
    code, out, err = vouch("access", "check", "papers")
    assert code == 0 and "owners of people/**: user:ben@acme.test" in out
    assert "names group:handbook, which is not in the directory" in err
    assert "user:ben@acme.test owns 1 document that it may not read: people/pay.md" in err
    out = vouch("access", "explain", BEN, "papers:people/pay.md")[1]
    assert "may not read" in out and f"owners: {BEN} ({BEN} is one of them, which lets nobody read)" in out
    assert f"owners: {BEN}" in vouch("access", "who", "papers:people/pay.md")[1]
    version = vouch("versions", "list", "--json")[1]
    (papers / "access.yaml").write_text(RULES.replace("user:ben", "user:ana"))
    assert json.loads(vouch("access", "explain", ANA, "papers:people/pay.md", "--json")[1])["owns"]
    assert vouch("versions", "list", "--json")[1] == version, "other owners need no ingest"
    (papers / "access.yaml").write_text(RULES.replace("owners:", "owners: all\nowners_:", 1).split("owners_:")[0])
    code, out, err = vouch("access", "check", "papers")
    assert code == 0 and "no owner is known: owners: expected a list" in err
    assert "may read" in vouch("access", "explain", ANA, "papers:people/pay.md")[1]


def test_a_person_chooses_and_sees_what_was_chosen(vouch: Any, papers: Path, home: Path) -> None:
    assert "has not chosen, so no question is shown" in vouch("examples", "status", "--as", ANA)[1]
    assert "lets questions be shown as examples, those asked since" in vouch("examples", "allow", "--as", ANA)[1]
    assert json.loads(vouch("examples", "status", "--as", ANA, "--json")[1])["allowed"]
    with closing(open_ledger(home / "ledger.sqlite")) as ledger:
        now = datetime.now(UTC)
        put(ledger, "q", "Where?", ANA, now)
        assert [one.example for one in ledger.past_answers.answers(now - timedelta(1), now + timedelta(1))] == [True]
    assert "lets no question be shown as an example; denied at" in vouch("examples", "deny", "--as", ANA)[1]
    assert "--share-question" in vouch("examples", "status", "--as", ANA)[1]
    for tag, code in (("public", 2), ("group:people", 2), ("user:nobody@acme.test", 3)):
        assert vouch("examples", "allow", "--as", tag)[0] == code, tag
    assert vouch("examples", "allow")[0] == 2


@pytest.mark.model
@pytest.mark.slow
def test_a_question_is_shared_by_asking_so(vouch: Any, papers: Path, home: Path) -> None:
    assert vouch("ingest")[0] == 0
    for words in (("What does jazz cost?", "--as", ANA, "--share-question"), ("What does rock cost?", "--as", ANA)):
        assert vouch("ask", *words)[0] == 0
    assert vouch("ask", "Who may share?", "--share-question")[0] == 2
    with closing(open_ledger(home / "ledger.sqlite")) as ledger:
        rows = ledger.past_answers.answers(datetime.now(UTC) - timedelta(1), datetime.now(UTC))
        assert {one.question: one.example for one in rows} == {
            "What does jazz cost?": True, "What does rock cost?": False}
