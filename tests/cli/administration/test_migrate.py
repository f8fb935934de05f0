"""vouch migrate leaves a ledger that nobody needs to touch before using it, however often it is run."""

import json
from pathlib import Path

import pytest
from machines.ledger_place import LedgerPlace
from typer.testing import CliRunner

from cli.main import app
from vouch.adapters.ledger.engine.schema import HEAD


def test_the_tables_are_there_afterwards_and_what_was_stored_stays(
    ledger_place: LedgerPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VOUCH_LEDGER__URL", ledger_place.url)
    first = CliRunner().invoke(app, ["migrate"])
    assert first.exit_code == 0, first.output
    assert f"has revision {HEAD}; 0 topics made" in first.output
    ledger_place.open().versions.allocate(None)
    second = CliRunner().invoke(app, ["migrate", "--json"])
    row = json.loads(second.output)
    assert (row["revision"], row["topics_made"]) == (HEAD, [])
    assert len(ledger_place.open().versions.rows()) == 1
