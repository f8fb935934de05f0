"""What streams of events hold of answers outlives a publish, and ends with a purge."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cli.wiring.http import serving


def test_words_are_forgotten_after_a_purge_and_not_at_each_publish(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[Any] = []
    opened: list[Any] = []
    open_worker = serving.open_worker

    def noted(*words: Any, **named: Any) -> Any:
        opened.append(open_worker(*words, **named))
        return opened[-1]

    monkeypatch.setattr(serving.ProgressBoard, "forget_words", lambda board: forgotten.append(board))
    monkeypatch.setattr(serving, "open_worker", noted)
    with serving.open_http_service(None, 0):
        (parts,) = opened
        assert parts.index._moved
        _moved(parts)
        assert forgotten == []
        parts.storage.ledger.purges.begin([("docs", "leave.md")], [], datetime.now(UTC))
        _moved(parts)
        _moved(parts)
        assert len(forgotten) == 1


def _moved(parts: Any) -> None:
    """As at a publish: another version is served."""
    for tell in parts.index._moved:
        tell()
