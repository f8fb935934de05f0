"""A decline names the closest passage by words of its document: it is told as long as these stand there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from vouch.adapters.ledger import SentAnswer
from vouch.answering.answer_text import declined
from vouch.answering.standing import as_it_stands, stands
from vouch.errors import Denied
from vouch.messages import QuestionAsked
from vouch.ports.index import View
from vouch.values.candidate import Candidate, Passage

OTHER = Passage("b" * 32, "docs", "b.pdf", "Other", (), "Words.", 0, 6, 1, 1, 0, 1)
CLOSEST = replace(OTHER, chunk_id="a" * 32, path="plan.pdf", title="Layoffs in March", page=3)


@dataclass
class Shows:
    now: Sequence[Passage]

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        return [one for one in self.now if one.chunk_id in chunk_ids]


def view(*now: Passage) -> View:
    return cast(View, Shows(now))


def decline(closest: Passage | None) -> SentAnswer:
    words = declined(None if closest is None else Candidate(closest), ())
    body: dict[str, Any] = {"action": "declined", "answer": words, "citations": []}
    return SentAnswer(cast(QuestionAsked, None), body, (OTHER.chunk_id, CLOSEST.chunk_id))


def test_it_is_told_while_that_is_called_the_same_wherever_it_moves() -> None:
    sent = decline(CLOSEST)
    assert as_it_stands(sent, view(OTHER, replace(CLOSEST, start=70, end=76))) == sent.body


@pytest.mark.parametrize("page", [3, None])
def test_it_is_taken_away_once_the_title_was_edited_away(page: int | None) -> None:
    sent = decline(replace(CLOSEST, page=page))
    assert not stands(sent, view(OTHER, replace(CLOSEST, page=page, title="House rules")))
    with pytest.raises(Denied):
        as_it_stands(sent, view(OTHER, replace(CLOSEST, page=page, title="Layoffs in March and April")))


def test_one_that_names_nothing_is_told() -> None:
    assert stands(decline(None), view(OTHER, CLOSEST))
