"""vouch drafts: an operator looks at what people answered, and decides."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app
from vouch.adapters.ledger import Draft, open_ledger
from vouch.adapters.ledger.engine.schema import drafts
from vouch.adapters.ledger.handoffs import draft_id
from vouch.adapters.sources.human_answers import NAME
from vouch.errors import NotFound, Usage

NOW = datetime.now(UTC)
ANA, BEN = "user:ana@acme.test", "user:ben@acme.test"


def draft(name: str = "a1", text: str = "Twelve weeks.\x1b[31m", **changes: object) -> Draft:
    return Draft(**{
        "id": draft_id(name), "answer_id": name, "conversation": "T1/C1", "documents": (), "question": "How long?",
        "text": text, "access": (ANA, BEN), "state": "waiting", "by": BEN, "made_at": NOW,
        "expires_at": NOW + timedelta(days=90),
    } | changes)  # type: ignore[arg-type]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path))
    with closing(open_ledger(tmp_path / "ledger.sqlite")) as ledger, ledger._database.write() as connection:
        from vouch.adapters.ledger.handoffs import _values

        connection.execute(drafts.insert().values(_values(draft())))
    return tmp_path


def vouch(*words: str) -> str:
    result = CliRunner().invoke(app, ["drafts", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_listed_shown_approved_and_withdrawn(home: Path) -> None:
    [row] = [json.loads(line) for line in vouch("list", "--json").splitlines()]
    assert row["state"] == "waiting" and "text" not in row and row["readers"] == [ANA, BEN]
    assert "waiting" in vouch("list") and "2 people" in vouch("list", "--state", "waiting")
    assert "Twelve weeks." in vouch("show", row["id"][:8]) and "\x1b" not in vouch("show", row["id"])
    assert f"{NAME}:" in vouch("approve", row["id"][:8], "--as", ANA)
    [file] = (home / NAME / "documents").glob("*/*.md")
    assert "Twelve weeks." in file.read_text()
    assert json.loads(vouch("approve", row["id"], "--json"))["decided_by"] == ANA
    assert "refused" in vouch("refuse", row["id"])
    assert not file.exists() and "rules: []" in (home / NAME / "access.yaml").read_text()
    assert "no drafts" in vouch("list", "--state", "approved")


def test_what_cannot_be_decided_says_why(home: Path) -> None:
    vouch("refuse", draft_id("a1"))
    with pytest.raises(Usage, match="refused already"):
        CliRunner().invoke(app, ["drafts", "approve", draft_id("a1")], catch_exceptions=False, standalone_mode=False)
    with pytest.raises(NotFound, match="no draft"):
        CliRunner().invoke(app, ["drafts", "show", "deadbeef"], catch_exceptions=False, standalone_mode=False)
