"""A rollback and its hold, retired versions and sweeps, as people and programs see them."""

import gc
import json
import os
import sys

import pytest

from cli.checks import run_checks
from cli.main import run
from cli.wiring import ingest_machines, open_parts
from indexers.pins import publishing
from vouch.documents.document import DocumentRecord


@pytest.fixture
def vouch(tmp_path, monkeypatch, capfd):
    """Runs the command line on a home with a source and four versions; (exit code, standard output and error)."""
    for name in [n for n in os.environ if n.startswith("VOUCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "new.md").write_bytes(b"\xff\xfe\x00\xd8 not text \x80\x81")

    def call(*words: object, **env: str) -> tuple[int, str, str]:
        with monkeypatch.context() as patch:
            for name, value in env.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["vouch", *map(str, words)])
            with pytest.raises(SystemExit) as ended:
                run()
        out, err = capfd.readouterr()
        return int(ended.value.code or 0), out, err

    call("source", "add", "docs", "--kind", "folder", "--path", tmp_path / "docs")
    machines = ingest_machines()
    for n in range(4):
        machines.store.publish(
            machines.store.open_current(), moved={}, removed=[], cursors={"docs": {}}, vectors=lambda keys: None,
            changed=[DocumentRecord("docs", f"{n}.md", "h", "quarantined", reason="no text")],
            fingerprints=machines.fingerprints,
        )
    machines.ledger.close()
    del machines
    gc.collect()                        # the command's last exit still refers to this frame, and so to versions
    return call


def rows(told: tuple[int, str, str]) -> list[dict]:
    assert told[0] == 0, told[2]
    return [json.loads(line) for line in told[1].splitlines()]


def test_a_hold_is_seen_everywhere_until_it_is_released(vouch):
    assert rows(vouch("versions", "rollback", 1, "--json")) == [{"version": 5, "content_of": 1, "held": True}]
    for words in (["ingest"], ["ingest", "--direct"], ["ingest", "docs", "--step", "1"]):
        code, out, err = vouch(*words)
        assert (code, out) == (6, "")
        assert "held since" in err and "try: vouch versions release" in err
    listed = rows(vouch("versions", "list", "--json"))
    assert [row["held_since"] is not None for row in listed] == [False, False, False, False, True]
    for words in (["list"], ["show", "5"], ["show", "1"]):
        assert "the content of version 1; to end that: vouch versions release" in vouch("versions", *words)[1]
    (shown,) = rows(vouch("versions", "show", "2", "--json"))
    assert (shown["hold"]["version"], shown["hold"]["content_of"]) == (5, 1)
    (planned,) = rows(vouch("ingest", "--dry-run", "--allow-removals", "--json"))
    assert "held since" in planned["held"] and planned["guarded"] is not None
    assert "the run would stop: ingestion is held since" in vouch("ingest", "--dry-run")[1]
    assert "held since" in next(check.found for check in run_checks() if check.name == "ingestion")
    (released,) = rows(vouch("versions", "release", "--json"))
    assert released["released"]["content_of"] == 1
    code, _, err = vouch("versions", "release")
    assert code == 3 and "not held" in err
    assert "held" not in vouch("versions", "list")[1]
    assert vouch("ingest", "--direct", "--allow-removals")[0] == 0


def test_retired_versions_are_listed_and_cannot_be_gone_back_to(vouch):
    few = {"VOUCH_INDEX__KEEP_VERSIONS": "2", "VOUCH_INDEX__KEEP_DAYS": "0"}
    assert rows(vouch("versions", "sweep", "--json"))[0]["retired"] == []
    (foreseen,) = rows(vouch("versions", "sweep", "--dry-run", "--json", **few))
    assert foreseen["retired"] == [1, 2] and foreseen["dry_run"] and foreseen["bytes"] > 0
    held = open_parts().store.open(2)
    with publishing(open_parts().home):
        code, _, err = vouch("versions", "sweep", **few)
        assert code == 7 and "under way" in err
    code, out, _ = vouch("versions", "sweep", **few)
    assert code == 0 and "version 2 stays because somebody has it open" in out and "1 version retired" in out
    assert held.number == 2
    assert [row["state"] for row in rows(vouch("versions", "list", "--json"))] == ["retired", *["published"] * 3]
    for words in (["rollback", "1"], ["show", "1"], ["diff", "1", "3"]):
        code, _, err = vouch("versions", *words)
        assert code == 3 and "version 1 is retired" in err and "vouch versions list" in err
