"""Answers that were sent: to show one again, by the person who asked, and by thread."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, bindparam, or_, select, true

from vouch.access import PUBLIC
from vouch.adapters.ledger.conversations.changed_questions import gone_among
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, outbox, posted
from vouch.answering.answer import REMOVED
from vouch.messages import HTTP, AudienceRef, QuestionAsked


@dataclass(frozen=True, slots=True)
class SentAnswer:
    """`given`: ids of all chunks that the answer was made from; each must be visible to whoever sees it."""

    question: QuestionAsked
    body: Mapping[str, Any]
    given: tuple[str, ...]


class SentAnswers:
    """Of surfaces whose answers are read from the ledger. It checks nobody's permissions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, named: str) -> SentAnswer | None:
        """The answer with this id, or to the question with this id; None if there is none, or it waits to be sent."""
        if "\x00" in named:             # of no id; PostgreSQL would not even look
            return None
        with self._database.read() as connection:
            row = connection.execute(_NAMED, {"named": named}).first()
        return None if row is None else _sent(row)

    def of_asker(self, asker: str, surface: str, limit: int) -> list[SentAnswer]:
        """What somebody asked last by a surface, newest first."""
        query = (
            _SENT.where(outbox.c.surface == surface, outbox.c.question["asker"].as_string() == asker)
            .order_by(answers.c.made_at.desc(), answers.c.answer_id)
            .limit(limit)
        )
        with self._database.read() as connection:
            return [_sent(row) for row in connection.execute(query)]


def _sent(row: Any) -> SentAnswer:
    return SentAnswer(QuestionAsked.model_validate(row.question), dict(row.body), tuple(row.given))


_SENT = (
    select(outbox.c.question, outbox.c.given, answers.c.body)
    .join(answers, answers.c.question_id == outbox.c.question_id)
    .join(posted, posted.c.answer_id == answers.c.answer_id)
)
_NAMED = _SENT.where(or_(answers.c.answer_id == bindparam("named"), answers.c.question_id == bindparam("named")))


_BEGINNING = re.compile(r"[0-9a-f]{6,31}")


class AskedBy:
    def __init__(self, database: Database) -> None:
        self._database = database

    def recent(self, asker: str, surface: str, since: datetime, limit: int) -> list[SentAnswer]:
        """The latest questions of this person there that were answered since, the newest first."""
        query = _sent_query().where(outbox.c.question["asker"].as_string() == asker, outbox.c.surface == surface,
                              answers.c.made_at >= since)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(answers.c.made_at.desc()).limit(limit)).all()
        return [_sent(row) for row in rows]

    def find(self, named: str) -> SentAnswer | None:
        """The answer with this id, or the only one whose id begins so; None if there is none, or it waits."""
        mine = answers.c.answer_id == named
        if _BEGINNING.fullmatch(named):
            mine = or_(mine, answers.c.answer_id.startswith(named))
        with self._database.read() as connection:
            rows = connection.execute(_sent_query().where(mine).limit(2)).all()
        return _sent(rows[0]) if len(rows) == 1 else None

    def question(self, question_id: str) -> QuestionAsked | None:
        """One that has an answer, sent or not."""
        query = select(outbox.c.question).where(outbox.c.question_id == question_id)
        with self._database.read() as connection:
            found = connection.execute(query).scalar_one_or_none()
        return None if found is None else QuestionAsked.model_validate(found)


def _sent_query() -> Select[Any]:
    return (
        select(outbox.c.question, outbox.c.given, answers.c.body)
        .join(answers, answers.c.question_id == outbox.c.question_id)
        .where(outbox.c.state == "sent")
    )


_MOST = 100                             # answers that are looked at


@dataclass(frozen=True, slots=True)
class EarlierQuestion:
    """`given`: ids of all chunks that its answer was made from. Its text is REMOVED where nobody may use its words."""

    question: QuestionAsked
    answer: Mapping[str, Any]
    given: tuple[str, ...] = ()


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
        turns = self._followed(question, limit) if followed else self._in_thread(question)
        since, until = question.asked_at - within, question.asked_at
        before = [turn for turn in turns if turn.question.id != question.id and since <= turn.question.asked_at <= until
                  and _known_to_all(question.audience, turn.question) and not _is_small_talk(turn)]
        return sorted(before, key=lambda turn: turn.question.asked_at, reverse=True)[:limit]

    def last(self, question: QuestionAsked, conversation: str, within: timedelta) -> EarlierQuestion | None:
        """What its asker asked last before it in that conversation, in any thread, for the same readers, and was
        answered. Threads are named after their conversation.
        """
        since, until = question.asked_at - within, question.asked_at
        there = or_(outbox.c.thread == conversation, outbox.c.thread.startswith(f"{conversation}/", autoescape=True))
        query = (
            _ANSWERED.where(answers.c.made_at >= since, outbox.c.surface == question.surface, there)
            .where(outbox.c.question["asker"].as_string() == question.asker)
            .order_by(answers.c.made_at.desc(), outbox.c.question_id)
            .limit(_MOST)
        )
        with self._database.read() as connection:
            turns = _earlier(connection, connection.execute(query).all())
        before = [turn for turn in turns if turn.question.id != question.id and since <= turn.question.asked_at <= until
                  and turn.question.audience == question.audience and not _is_small_talk(turn)]
        return max(before, key=lambda turn: turn.question.asked_at, default=None)

    def stands_for(self, question: QuestionAsked, body: Mapping[str, Any]) -> tuple[str, tuple[QuestionAsked, ...]]:
        """Words of a question as it was understood, and the questions that these are of, itself first.

        Its own words where others may not be used any more; REMOVED where these may not.
        """
        names = [str(name) for name in body.get("understood_from", ())]
        with self._database.read() as connection:
            rows = connection.execute(select(outbox.c.question).where(outbox.c.question_id.in_(names))).scalars()
            turns = [QuestionAsked.model_validate(row) for row in rows]
            gone = gone_among(connection, [question, *turns])
        if question.id in gone:
            return REMOVED, (question,)
        if gone or not names or len(turns) < len(names) or any(one.text == REMOVED for one in turns):
            return question.text, (question,)
        return str(body["understood_as"]), (question, *turns)

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
            return _earlier(connection, connection.execute(query).all())

    def _followed(self, question: QuestionAsked, limit: int) -> list[EarlierQuestion]:
        """Each thread is named by the question that was followed up on; a first one's by itself."""
        turns: list[EarlierQuestion] = []
        last = question
        with self._database.read() as connection:
            while last.thread != last.id and len(turns) < limit:
                rows = connection.execute(_ANSWERED.where(outbox.c.question_id == last.thread)).all()
                turn = next(iter(_earlier(connection, rows)), None)
                if turn is None or (turn.question.asker, turn.question.surface) != (question.asker, question.surface):
                    break
                turns.append(turn)
                last = turn.question
        return turns


_ANSWERED = (
    select(outbox.c.question, outbox.c.given, answers.c.body)
    .join(answers, answers.c.question_id == outbox.c.question_id)
)


def _earlier(connection: Connection, rows: Sequence[Any]) -> list[EarlierQuestion]:
    """Of a message that was deleted, or says something else now, the words that were answered are nobody's to use."""
    questions = [QuestionAsked.model_validate(row.question) for row in rows]
    gone = gone_among(connection, questions)
    return [
        EarlierQuestion(one.model_copy(update={"text": REMOVED}) if one.id in gone else one, row.body, tuple(row.given))
        for one, row in zip(questions, rows, strict=True)
    ]


def _is_small_talk(turn: EarlierQuestion) -> bool:
    return turn.answer.get("action") == "replied"


def _known_to_all(audience: AudienceRef, earlier: QuestionAsked) -> bool:
    """Whether each of the readers asked the earlier question, or was named as a reader of it."""
    if audience.kind == "conversation" or earlier.audience.kind == "conversation":
        return audience == earlier.audience
    return set(audience.tags) <= {*earlier.audience.tags, earlier.asker}
