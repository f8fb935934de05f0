"""That a source was read only in part is told once a run, by its last step."""

from types import SimpleNamespace
from typing import Any

import pytest

from flows.ingesting.report import _waiting


@pytest.mark.parametrize(("more", "whole", "told"), [(True, (), 0), (False, (), 1), (False, ("papers",), 0)])
def test_the_last_step_alone_tells_it(more: bool, whole: tuple[str, ...], told: int) -> None:
    held = SimpleNamespace(rulebooks={"papers": None}, scanned={})
    components: Any = SimpleNamespace(ledger=SimpleNamespace(access=SimpleNamespace(permissions=lambda: held)))
    plan: Any = SimpleNamespace(more=more, scans={"papers": None}, whole=frozenset(whole))
    notes = _waiting(components, plan)
    assert len(notes) == told and all("papers was read only in part" in note for note in notes)
