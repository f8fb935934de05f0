"""A loopback Slack, and what its doctor needs to be content."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from slack_scene.doctor import Vouch, allow

from bots.slack.simulator import SlackServer
from vouch.adapters.ledger import open_ledger


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    with SlackServer() as started:
        yield started


@pytest.fixture
def filled(vouch: Vouch, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directory names Ana, and there is a document, which anybody may read."""
    (tmp_path / "directory.yaml").write_text("people:\n  ana@acme.test:\n    groups: []\n")
    assert vouch("directory", "load", tmp_path / "directory.yaml")[0] == 0
    (tmp_path / "handbook").mkdir()
    allow(tmp_path / "handbook", "public")
    assert vouch("source", "add", "handbook", "--kind", "folder", "--path", tmp_path / "handbook")[0] == 0
    with closing(open_ledger(home / "ledger.sqlite")) as ledger:
        ledger.access.scan_ended(["handbook"], ledger.access.scan_begins(["handbook"]))
    held = SimpleNamespace(chunks=2, source="handbook", path="travel.md", narrowed=None)
    index = SimpleNamespace(version=lambda: SimpleNamespace(documents=lambda: [held]))
    monkeypatch.setattr("consumers.wiring.slack.documents.open_live_index", lambda *given: index)
