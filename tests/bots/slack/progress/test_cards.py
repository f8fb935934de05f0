"""What a task card says of a stage that is done."""

from datetime import UTC, datetime

import pytest

from bots.slack.progress.cards import cards
from vouch.messages import QuestionProgress, StageDone


@pytest.mark.parametrize(("count", "told"), [(1, "1 sentence supported, 0.2 s"), (2, "2 sentences supported, 0.2 s")])
def test_one_sentence_and_several_are_told_alike(count: int, told: str) -> None:
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    done = StageDone(stage="cite", count=count, ms=200)
    told_of = QuestionProgress(question_id="q1", surface="slack", begun_at=begun, number=1, done=(done,), stage=None)
    assert [one["output"] for one in cards(told_of).values()] == [told]
