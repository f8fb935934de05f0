"""A loopback Slack, and what its doctor needs to be content."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from slack_scene.doctor import Vouch

from bots.slack.simulator import SlackServer


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    with SlackServer() as started:
        yield started


@pytest.fixture
def filled(vouch: Vouch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directory names Ana, and there is a document."""
    (tmp_path / "directory.yaml").write_text("people:\n  ana@acme.test:\n    groups: []\n")
    assert vouch("directory", "load", tmp_path / "directory.yaml")[0] == 0
    index = SimpleNamespace(version=lambda: SimpleNamespace(documents=lambda: [SimpleNamespace(chunks=2)]))
    monkeypatch.setattr("consumers.wiring.slack.setup.open_live_index", lambda *given: index)
