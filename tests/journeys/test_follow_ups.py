"""Written conversations about the demo company: follow-ups cite what their full questions cite."""


from pathlib import Path

import pytest
from conversations.measure import conversations, measured, share

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.integration]
EVERY = 8
WANTED = 0.8                            # all of them, 23 November 2026: .99 in the thread, .80 alone


@pytest.mark.parametrize("every", [EVERY, pytest.param(1, marks=pytest.mark.soak)])
def test_follow_ups_cite_what_the_full_question_cites(
    demo_home: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    """One conversation in eight; all in the long form."""
    assert sum(one["follow_up"] != one["full"] for one in conversations()) >= 60
    monkeypatch.setenv("VOUCH_HOME", str(demo_home))
    found = measured(every)
    assert share([one.full for one in found], found) == 1 and sum(one.full for one in found) >= len(found) - 1
    assert share([one.follow_up for one in found], found) >= WANTED
    assert share([one.follow_up for one in found], found) > share([one.alone for one in found], found)
