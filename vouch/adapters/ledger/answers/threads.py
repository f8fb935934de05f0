"""What was asked and answered before in the same thread."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import select, true

from vouch.access import PUBLIC
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, outbox
from vouch.messages import HTTP, AudienceRef, QuestionAsked

_MOST = 100                             # answers that are looked at


@dataclass(frozen=True, slots=True)
class EarlierQuestion:
    question: QuestionAsked
    answer: Mapping[str, Any]


class Threads:
    def __init__(self, database: Database) -> None:
        self._database = database

    def earlier(self, question: QuestionAsked, within: timedelta, limit: int) -> list[EarlierQuestion]:
        """What its asker asked before it in its thread, for all of its readers, and was answered; newest first.

        In a conversation of a surface, what anybody asked there. Of strangers,
        who share one name, only what it follows up on, step by step. Other
        questions change nothing: they may be of people who are not to be heard.
        """
        if question.thread is None:
            return []
        followed = question.asker == PUBLIC and question.surface == HTTP
        found = self._followed(question, limit) if followed else self._in_thread(question)
        since, until = question.asked_at - within, question.asked_at
        before = [one for one in found if one.question.id != question.id and since <= one.question.asked_at <= until
                  and _known_to_all(question.audience, one.question)]
        return sorted(before, key=lambda one: one.question.asked_at, reverse=True)[:limit]

    def _in_thread(self, question: QuestionAsked) -> list[EarlierQuestion]:
        asked, together = outbox.c.question, question.audience.kind == "conversation"
        query = (
            _ANSWERED.where(outbox.c.thread == question.thread, outbox.c.surface == question.surface)
            .where(asked[("audience", "kind")].as_string() == question.audience.kind)
            .where(true() if together else asked["asker"].as_string() == question.asker)
            .order_by(answers.c.made_at.desc(), outbox.c.question_id)
            .limit(_MOST)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return [_earlier(row) for row in rows]

    def _followed(self, question: QuestionAsked, limit: int) -> list[EarlierQuestion]:
        """Each thread is named by the question that was followed up on; a first one's by itself."""
        found: list[EarlierQuestion] = []
        last = question
        with self._database.read() as connection:
            while last.thread != last.id and len(found) < limit:
                row = connection.execute(_ANSWERED.where(outbox.c.question_id == last.thread)).first()
                one = None if row is None else _earlier(row)
                if one is None or (one.question.asker, one.question.surface) != (question.asker, question.surface):
                    break
                found.append(one)
                last = one.question
        return found


_ANSWERED = select(outbox.c.question, answers.c.body).join(answers, answers.c.question_id == outbox.c.question_id)


def _earlier(row: Any) -> EarlierQuestion:
    return EarlierQuestion(QuestionAsked.model_validate(row.question), row.body)


def _known_to_all(audience: AudienceRef, earlier: QuestionAsked) -> bool:
    """Whether each of the readers asked the earlier question, or was named as a reader of it."""
    if audience.kind == "conversation" or earlier.audience.kind == "conversation":
        return audience == earlier.audience
    return set(audience.tags) <= {*earlier.audience.tags, earlier.asker}
