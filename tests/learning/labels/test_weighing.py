"""What every training weighs its labels by: the place of a passage first, then the caps."""

from datetime import UTC, datetime

import pytest

from vouch.learning.labels.label import Label
from vouch.learning.training import weighing
from vouch.learning.training.weighing import Material, Shares, weigher

NOW = datetime(2026, 11, 23, tzinfo=UTC)
NOBODY_CAPPED = Shares(person=1.0, day=1.0, clip=10.0)


def vote(position: int, person: str = "user:ana", question: str = "Why?") -> Label:
    return Label(question, ("public",), f"c{position}", None, 1, 2, "vote", 0.5, NOW, person, f"a-{question}", position)


def weighed(labels: list[Label], shares: Shares, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """By readers who look at the second place half as often as at the first, and at the third hardly ever."""
    monkeypatch.setattr(weighing, "estimate", lambda _: {1: 1.0, 2: 0.5, 3: 0.01})
    found = {label.key: label.weight for label in weigher(Material(labels, {}), shares)(labels)}
    return [found[label.key] for label in labels]


def test_a_vote_counts_more_where_fewer_look_up_to_the_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    assert weighed([vote(1), vote(2), vote(3)], NOBODY_CAPPED, monkeypatch) == pytest.approx([0.5, 1.0, 5.0])


def test_planted_no_position_correction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "correct", lambda labels, propensities, clip: list(labels))
    with pytest.raises(AssertionError):
        test_a_vote_counts_more_where_fewer_look_up_to_the_clip(monkeypatch)


def test_no_correction_lifts_anybody_over_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [vote(1, f"user:p{n}", f"Why {n}?") for n in range(40)]
    loud = [vote(3, "user:loud", f"How {n}?") for n in range(40)]
    found = weighed([*others, *loud], Shares(person=0.05, day=1.0, clip=10.0), monkeypatch)
    assert sum(found[40:]) <= 0.05 * sum(found) * (1 + 1e-6)
