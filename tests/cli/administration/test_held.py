"""A rollback and its hold, retired versions and sweeps, as people and programs see them."""

import gc
import json

import pytest

from cli.administration.checks import run_checks
from cli.wiring.account import account_name
from cli.wiring.administration import open_administration
from cli.wiring.ingest import ingest_components
from indexers.versions.version import GENERATION
from indexers.versions.version_locks import publishing
from vouch.documents.document import DocumentRecord


@pytest.fixture
def held(vouch, tmp_path):
    """The command line on a home with a source and four versions."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "new.md").write_bytes(b"\xff\xfe\x00\xd8 not text \x80\x81")
    vouch("source", "add", "docs", "--kind", "folder", "--path", tmp_path / "docs")
    components = ingest_components()
    for n in range(4):
        components.store.publish(
            components.store.open_current(), moved={}, removed=[], vectors=lambda keys: None,
            cursors={"docs": {GENERATION: components.generations["docs"]}},
            changed=[DocumentRecord("docs", f"{n}.md", "h", "quarantined", reason="no text")],
            fingerprints=components.fingerprints,
        )
    components.ledger.close()
    del components
    gc.collect()                        # the command's last exit still refers to this frame, and so to versions
    return vouch


def rows(told: tuple[int, str, str]) -> list[dict]:
    assert told[0] == 0, told[2]
    return [json.loads(line) for line in told[1].splitlines()]


def test_a_hold_is_seen_everywhere_until_it_is_released(held):
    told = rows(held("versions", "rollback", 1, "--json"))
    assert told == [{"version": 5, "content_of": 1, "held": True, "hidden": []}]
    for words in (["ingest"], ["ingest", "docs", "--step", "1"]):
        code, out, err = held(*words)
        assert (code, out) == (6, "")
        assert "stopped since" in err and "try: vouch versions release" in err
    listed = rows(held("versions", "list", "--json"))
    assert [row["held_since"] is not None for row in listed] == [False, False, False, False, True]
    for words in (["list"], ["show", "5"], ["show", "1"]):
        assert "the content of version 1; to allow them again: vouch versions release" in held("versions", *words)[1]
    (shown,) = rows(held("versions", "show", "2", "--json"))
    assert (shown["hold"]["version"], shown["hold"]["content_of"]) == (5, 1)
    for words, guarded in (((), True), (("--allow-removals",), False)):
        (planned,) = rows(held("ingest", "--dry-run", *words, "--json"))
        assert "stopped since" in planned["held"] and (planned["guarded"] is not None) is guarded
        out = held("ingest", "--dry-run", *words)[1]
        assert "the run would stop: ingests are stopped since" in out and ("would stay as it is" in out) is guarded
    assert "stopped since" in next(check.found for check in run_checks() if check.name == "ingestion")
    (released,) = rows(held("versions", "release", "--json"))
    assert released["released"]["content_of"] == 1
    code, _, err = held("versions", "release")
    assert code == 3 and "not stopped" in err
    noted = open_administration().ledger.acts.list()
    assert [(act.by, act.act, act.outcome) for act in noted] == [
        (f"terminal:{account_name()}", "release of ingests", "refused: NotFound"),
        (f"terminal:{account_name()}", "release of ingests", "done"),
        (f"terminal:{account_name()}", "rollback to version 1", "done"),
    ]
    assert "held" not in held("versions", "list")[1]
    assert "would stop" in held("ingest", "--dry-run")[1]
    assert "would stop" not in held("ingest", "--dry-run", "--allow-removals")[1]
    assert held("ingest", "--allow-removals")[0] == 0


def test_retired_versions_are_listed_and_cannot_be_gone_back_to(held):
    few = {"VOUCH_INDEX__KEEP_VERSIONS": "2", "VOUCH_INDEX__KEEP_DAYS": "0"}
    assert rows(held("versions", "sweep", "--json"))[0]["retired"] == []
    (foreseen,) = rows(held("versions", "sweep", "--dry-run", "--json", **few))
    assert foreseen["retired"] == [1, 2] and foreseen["dry_run"] and foreseen["bytes"] > 0
    opened = open_administration().store.open(2)
    with publishing(open_administration().home):
        code, _, err = held("versions", "sweep", **few)
        assert code == 7 and "under way" in err
    code, out, _ = held("versions", "sweep", **few)
    assert code == 0 and "version 2 stays because somebody has it open" in out and "1 version retired" in out
    assert opened.number == 2
    assert [row["state"] for row in rows(held("versions", "list", "--json"))] == ["retired", *["published"] * 3]
    for words in (["rollback", "1"], ["show", "1"], ["diff", "1", "3"]):
        code, _, err = held("versions", *words)
        assert code == 3 and "version 1 is retired" in err and "vouch versions list" in err
