import os

import pytest


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests about results, not about power cuts, need not wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
