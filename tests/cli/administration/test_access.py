"""The commands of administrators who want to know who reads what, and what of their rules does nothing."""

import json
from pathlib import Path

import pytest

from cli.wiring.administration import open_administration
from flows.wiring.ingesting import build_components
from indexers.versions.version import GENERATION
from vouch.documents.document import DocumentRecord

OPEN = '{match: "**", allow: [public]}'
LEADS = frozenset({"group:leads"})
DIRECTORY = ("people:\n  ana: {groups: [eng]}\n  lea: {groups: [leads]}\n  cleo: {groups: [eng], until: 2020-01-31}\n"
             "groups: {eng: {}, leads: {}}\n")  # fmt: skip


@pytest.fixture
def company(vouch, tmp_path) -> Path:
    """A source with three documents, one of them narrowed, and a directory."""
    docs = tmp_path / "docs"
    (docs / "people").mkdir(parents=True)
    (docs / "people" / "access.yaml").write_text("rules: []\n")
    (docs / "access.yaml").write_text(f'rules: [{OPEN}, {{match: "poeple/**", allow: [group:eng, group:led]}}]\n')
    (tmp_path / "d.yaml").write_text(DIRECTORY)
    assert vouch("directory", "load", tmp_path / "d.yaml")[0] == 0
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", docs)[0] == 0
    parts = open_administration()
    records = [DocumentRecord("docs", "a.md", "1", "indexed"), DocumentRecord("docs", "people/b.md", "2", "indexed"),
               DocumentRecord("docs", "people/bands.md", "3", "indexed", narrowed=LEADS)]  # fmt: skip
    mine = {GENERATION: parts.ledger.sources.get("docs").generation}
    parts.store.publish(None, changed=records, moved={}, removed=[], cursors={"docs": mine}, vectors=lambda keys: None,
                        fingerprints=build_components().fingerprints)
    parts.watched.refresh()
    parts.ledger.access.scan_ended(["docs"], parts.ledger.access.scan_begins(["docs"]))
    return docs


def rows(out: str) -> list[dict]:
    return [json.loads(line) for line in out.splitlines()]


def test_documents_show_effective_readers(vouch, company):
    shown = {row["path"]: row for row in rows(vouch("documents", "--json")[1])}
    assert shown["people/bands.md"]["effective"] == ["group:leads"]
    assert shown["people/bands.md"]["tags"] == ["public"] and shown["people/bands.md"]["narrowed"] == ["group:leads"]
    assert shown["a.md"]["effective"] == ["public"]
    assert "group:leads (of public)" in vouch("documents")[1]


def test_check_tells_what_each_rule_decides(vouch, company):
    (row,) = rows(vouch("access", "check", "docs", "--json")[1])
    assert [(r["match"], r["decides"], r["matches"]) for r in row["rules"]] == [("**", 3, 3), ("poeple/**", 0, 0)]
    assert row["rules"][0]["documents"] == ["a.md", "people/b.md", "people/bands.md"] and row["undecided"] == []
    assert row["warnings"] == [
        "people/access.yaml has no effect: only the access file of the source decides",
        "rule 2 (poeple/**) matches none of the 3 documents; did you mean people/**?",
        "rule 2 (poeple/**) names group:led, which is not in the directory; did you mean group:leads?"]
    _, out, err = vouch("access", "check")
    assert "rule 1 (**) for public decides 3 documents: a.md, people/b.md, people/bands.md" in out
    assert "decides no document" in out and "did you mean people/**?" in err
    assert vouch("access", "check", "nothere")[0] == 3


def test_check_of_rules_that_cannot_be_read_fails_and_says_so_first(vouch, company):
    (company / "access.yaml").unlink()
    assert vouch("access", "check")[0] == 5 and vouch("status")[0] == 10
    (company / "access.yaml").write_text("rules: [", encoding="utf-8")
    code, out, err = vouch("access", "check")
    assert code == 5 and "nobody may read the documents of docs: the rules cannot be read" in err
    assert "nobody may read them, as the rules cannot be read" in out.splitlines()[1] and "no rule matches" not in out


def test_who_and_what_list_people_and_documents(vouch, company):
    row = json.loads(vouch("access", "who", "docs:people/bands.md", "--json")[1])
    assert (row["public"], row["groups"]) == (False, ["leads"])
    assert row["people"] == [{"person": "user:lea", "through": ["group:leads"], "until": None}]
    assert "user:lea (through group:leads)" in vouch("access", "who", "people/bands.md")[1]
    assert "can be read by public" in vouch("access", "who", "a.md")[1]
    row = json.loads(vouch("access", "what", "user:lea", "--json")[1])
    assert [d["path"] for d in row["documents"]] == ["a.md", "people/b.md", "people/bands.md"] and row["of"] == 3
    _, out, err = vouch("access", "what", "user:lae")
    assert "may read 2 of 3 documents" in out and "did you mean user:lea?" in err
    assert vouch("access", "who", "nothere.md")[0] == 3


def test_explain_says_who_expired_and_who_is_unknown(vouch, company):
    out = vouch("access", "explain", "user:cleo", "a.md")[1]
    assert "user:cleo expired on 2020-01-31 and reads public documents only" in out
    assert "user:zoe is not in the directory" in vouch("access", "explain", "user:zoe", "a.md")[1]
    row = json.loads(vouch("access", "explain", "user:cleo", "a.md", "--json")[1])
    assert (row["known"], row["until"], "expired on" in row["warning"]) == (True, "2020-01-31", True)
    assert "2020-01-31" in vouch("directory", "show")[1]


def test_an_access_file_that_cannot_be_understood_takes_the_place_of_none(vouch, company, tmp_path):
    before = vouch("source", "list", "--json")[1]
    (tmp_path / "odd.yaml").write_text("rules:\n  - match: 'a{b,c}/**'\n    allow: [public]\n")
    code, _, err = vouch("source", "access", "docs", tmp_path / "odd.yaml")
    assert code == 5 and "the rules of docs did not change" in err
    assert vouch("source", "list", "--json")[1] == before


def test_oddities_are_named_where_sources_and_directories_come_in_and_by_the_doctor(vouch, company, tmp_path):
    meant = "did you mean people/**?"
    assert meant in vouch("source", "access", "docs", company / "access.yaml")[2]
    assert meant in vouch("directory", "load", tmp_path / "d.yaml")[2]
    (check,) = [row for row in rows(vouch("doctor", "--json")[1]) if row["check"] == "permissions"]
    assert check["sound"] and len(check["warnings"]) == 3
    (company / "people" / "x.md").write_text("X.")
    assert meant in vouch("source", "add", "more", "--kind", "folder", "--path", company)[2], "by the names on the disk"


def test_a_reader_that_the_directory_does_not_hold_is_warned_of(vouch, company):
    for tag, said in [("group:led", "group:led is not in the directory; did you mean group:leads?"),
                      ("user:cleo", "user:cleo expired on 2020-01-31")]:
        assert said in vouch("search", "x", "--mode", "lexical", "--as", tag)[2]
    assert vouch("search", "x", "--mode", "lexical", "--as", "group:leads", "--as", "user:ana")[2] == ""


def test_a_directory_that_locks_people_out_is_not_loaded(vouch, company, tmp_path):
    less = tmp_path / "less.yaml"
    less.write_text("")
    code, _, err = vouch("directory", "load", less)
    assert code == 5 and "holds no people and no groups" in err
    less.write_text("people: {zoe: {}}\n")
    code, _, err = vouch("directory", "load", less)
    assert code == 6 and "3 of 3 people would be removed" in err and "--allow-removals" in err
    assert len(open_administration().permissions.directory.people) == 3
    code, out, _ = vouch("directory", "load", less, "--allow-removals")
    assert code == 0 and out.startswith("1 person, 0 groups;")


def test_a_source_without_rules_is_named_as_the_reason_for_finding_nothing(vouch, company):
    (company / "access.yaml").unlink()
    cure = "write an access file as docs/access.md shows, and name it: vouch source access docs FILE"
    why = f"source docs has no access rules; {cure}"
    out = vouch("search", "x", "--mode", "lexical")[1]
    assert why in out and "only public documents" not in out
    assert f"nobody may read its 3 documents: {why}" in vouch("source", "list")[2]
    for words in (("access", "check"), ("status",), ("doctor",), ("search", "x", "--mode", "lexical")):
        _, out, err = vouch(*words)
        told = " ".join((out + err).split())
        assert cure in told and "put it there" not in told and "fix the" not in told, words


def test_the_reason_depends_on_rules_alone(vouch, company):
    """A source of which somebody may read nothing, with rules: nothing is said, whatever it holds."""
    (company / "access.yaml").write_text('rules: [{match: "**", allow: [group:eng]}]\n')
    _, out, err = vouch("search", "x", "--mode", "lexical")
    assert "no access rules" not in out + err and "only public documents were looked at" in out
