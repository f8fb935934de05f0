"""vouch purge and vouch tidy as programs use them."""

import json

import pytest
from homes.grep_home import grep
from homes.ingest_bench import Bench
from homes.purge_scene import SECRET, ingest_history

from services.documents.administration import Administration
from vouch.adapters.access.watched import WatchedPermissions


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """The paper's home, which the command finds instead of one with a real encoder."""
    made = Bench(tmp_path / "home")
    ingest_history(made, tmp_path / "docs")
    monkeypatch.setenv("VOUCH_HOME", str(made.home))
    monkeypatch.setattr("cli.wiring.ingest.ingest_components", lambda: made.components)
    monkeypatch.setattr("cli.wiring.administration.open_administration", lambda: Administration(
        made.home, made.ledger, made.components.store, WatchedPermissions(made.ledger.sources, made.ledger.access)))
    return made


def test_a_purge_is_shown_done_listed_and_lifted(bench, vouch):
    code, out, _ = vouch("purge", "docs:board/pay.md", "--dry-run", "--json")
    assert (code, json.loads(out)) == (0, {
        "places": ["docs:board/pay.md"], "contents": 3, "versions": [1, 2, 3, 4], "former_places": ["docs:pay.md"],
        "copies": []})
    code, out, err = vouch("purge", "docs:board/pay.md")
    assert (code, out) == (2, "") and "--yes" in err            # nobody is there to be asked
    assert grep(bench.home, SECRET)
    code, out, _ = vouch("purge", "docs:board/pay.md", "--yes", "--json")
    done = json.loads(out)
    assert (code, done["places"], done["version"], done["rewritten"]) == (0, ["docs:board/pay.md"], 5, [1, 2, 3, 4])
    assert done["searched_for"] > 20 and grep(bench.home, SECRET) == []
    (row,) = [json.loads(line) for line in vouch("purge", "--list", "--json")[1].splitlines()]
    assert (row["document"], row["state"], row["contents"]) == ("docs:board/pay.md", "done", 2)
    assert "docs:board/pay.md" in vouch("purge", "--list")[1]
    assert vouch("purge", "--allow", "docs:board/pay.md")[0] == 0
    assert vouch("purge", "--allow", "docs:board/pay.md")[0] == 3


def test_a_document_that_is_one_passage_and_nothing_else_is_purged_for_good(bench, vouch):
    """Its row key is the beginning of its hash, which is kept so that it does not come back."""
    docs = bench.home.parent / "docs"
    (docs / "note.md").write_text("The doors are locked at nine every evening.")       # no heading, and no end of line
    bench.ingest()
    code, out, err = vouch("purge", "docs:note.md", "--yes", "--json")
    assert (code, json.loads(out)["places"]) == (0, ["docs:note.md"]), err
    assert grep(bench.home, ["locked at nine"]) == []


def test_what_is_left_ends_with_exit_code_8(bench, vouch):
    (bench.home / "copy.txt").write_text((bench.home.parent / "docs" / "board" / "pay.md").read_text())
    code, out, err = vouch("purge", "docs:board/pay.md", "--yes")
    assert (code, out) == (8, "") and "copy.txt holds" in err and "run it again" in err
    (row,) = [json.loads(line) for line in vouch("purge", "--list", "--json")[1].splitlines()]
    assert row["state"] == "pending"
    assert vouch("purge", "--allow", "docs:board/pay.md")[0] == 2
    assert "not finished: docs:board/pay.md" in vouch("doctor")[1]
    (bench.home / "copy.txt").unlink()
    assert vouch("purge", "docs:board/pay.md", "--yes")[0] == 0


@pytest.mark.parametrize(("words", "code", "cause"), [
    (["purge"], 2, "give a document"),
    (["purge", "a:b", "--list"], 2, "give a document"),
    (["purge", "nocolon", "--yes"], 2, "is not the name of a document"),
    (["purge", "docs:nothere.md", "--yes"], 3, "no version holds docs:nothere.md"),
    (["purge", "--allow", "docs:nothere.md"], 3, "was not purged"),
])
def test_a_mistake_is_named(bench, vouch, words, code, cause):
    got, out, err = vouch(*words)
    assert (got, out) == (code, "") and cause in err.splitlines()[0]


def test_both_commands_are_listed(vouch):
    out = vouch("--help")[1]
    assert "\n  purge " in out and "\n  tidy " in out


def test_tidy_prints_what_it_deleted(bench, vouch):
    code, out, _ = vouch("tidy", "--json", "--dry-run")
    assert code == 0
    row = json.loads(out)
    assert row["dry_run"] is True
    deleted = {"answers", "candidates", "votes", "labels", "inbox", "messages", "reports", "purges", "drafts",
               "searches", "evaluations", "index"}
    assert set(row) == {*deleted, "dry_run"}
    assert vouch("tidy")[1].startswith("deleted 0 answers")
