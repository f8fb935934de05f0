"""How questions were answered, which documents were cited, and who lets theirs be seen as examples."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select, update

from vouch.adapters.ledger.conversations.changed_questions import gone_among
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, example_choices, feedback, model_pointers, models, outbox
from vouch.answering.answer import REMOVED
from vouch.messages import QuestionAsked

Place = tuple[str, str]                 # source, path


def documents_of(citations: Iterable[Iterable[Mapping[str, Any]]]) -> Counter[Place]:
    """The citations of each answer → each document, and in how many answers it is cited; of the web none."""
    found = Counter[Place]()
    for one in citations:
        found.update({(str(c["source"]), str(c["path"])) for c in one if c.get("origin") != "external"})
    return found


@dataclass(frozen=True, slots=True)
class ExampleChoice:
    """`allowed_since`: the person's questions from then on; None: only those that say so themselves.

    No question from `denied_at` or before is allowed any more, whatever it said.
    """

    allowed_since: datetime | None = None
    denied_at: datetime | None = None

    def covers(self, asked_at: datetime, said_so: bool) -> bool:
        if self.denied_at is not None and asked_at <= self.denied_at:
            return False
        return said_so or (self.allowed_since is not None and asked_at >= self.allowed_since)


class ExampleChoices:
    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[str, ExampleChoice]:
        """By person; who never chose is missing."""
        with self._database.read() as connection:
            return {row.person: ExampleChoice(row.allowed_since, row.denied_at)
                    for row in connection.execute(select(example_choices))}

    def of(self, person: str) -> ExampleChoice:
        return self.all().get(person, ExampleChoice())

    def allow(self, person: str, at: datetime) -> ExampleChoice:
        """Questions of that person from `at` on are allowed, or from earlier on if they are already."""
        return self._put(person, lambda held: ExampleChoice(held.allowed_since or at, held.denied_at))

    def deny(self, person: str, at: datetime) -> ExampleChoice:
        """No question until `at` is allowed, and later ones only if they say so themselves."""
        return self._put(person, lambda held: ExampleChoice(None, max(at, held.denied_at or at)))

    def _put(self, person: str, changed: Callable[[ExampleChoice], ExampleChoice]) -> ExampleChoice:
        mine = example_choices.c.person == person
        with self._database.write(f"example/{person}") as connection:
            row = connection.execute(select(example_choices).where(mine)).first()
            new = changed(ExampleChoice(row.allowed_since, row.denied_at) if row else ExampleChoice())
            values = {"allowed_since": new.allowed_since, "denied_at": new.denied_at}
            if row is None:
                connection.execute(insert(example_choices).values(person=person, **values))
            else:
                connection.execute(update(example_choices).where(mine).values(**values))
        return new


_BATCH = 500
_DECLINED, _REPLIED = "declined", "replied"


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """`voted_down` by anybody."""

    question: str
    asker: str
    at: datetime                        # when the answer was made
    declined: bool
    confidence: float
    voted_down: bool
    example: bool = False               # the asker lets it be shown to others, by what is known now


@dataclass(frozen=True, slots=True)
class Tally:
    """Questions to the documents, how many of them were declined, and the votes given in the same time."""

    answers: int
    declined: int
    up: int
    down: int


class PastAnswers:
    """Only of questions that were looked up: no small talk, and none that was refused for want of time or by a fault.

    What was purged or deleted as too old is in none of it, nor are words of messages that were deleted or changed.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def answers(self, since: datetime, until: datetime) -> Iterator[PastAnswer]:
        """Those made from `since` on and before `until`, the oldest first."""
        choices = ExampleChoices(self._database).all()
        body, down = answers.c.body, select(feedback.c.answer_id).where(feedback.c.vote == "down")
        query = (
            select(
                outbox.c.question, answers.c.made_at, body["action"].as_string(),
                body[("confidence", "value")].as_float(), answers.c.answer_id.in_(down),
            )
            .join(outbox, outbox.c.question_id == answers.c.question_id)
            .where(answers.c.made_at >= since, answers.c.made_at < until, _LOOKED_UP, _UNFILTERED)
            .order_by(answers.c.made_at, answers.c.answer_id)
        )  # fmt: skip
        with self._database.read() as connection:
            for rows in connection.execution_options(yield_per=_BATCH).execute(query).partitions():
                asked = [QuestionAsked.model_validate(row[0]) for row in rows]
                gone = gone_among(connection, asked)
                for one, (_, at, action, confidence, voted) in zip(asked, rows, strict=True):
                    if one.text != REMOVED and action != _REPLIED and one.id not in gone:
                        yield PastAnswer(
                            one.text, one.asker, at, action == _DECLINED, float(confidence or 0.0), bool(voted),
                            _allowed(choices.get(one.asker), one, at),
                        )  # fmt: skip

    def tally(self, since: datetime, until: datetime) -> Tally:
        """Of that time."""
        action = answers.c.body["action"].as_string()
        made = select(action, func.count()).where(answers.c.made_at >= since, answers.c.made_at < until, _LOOKED_UP)
        given = select(feedback.c.vote, func.count()).where(feedback.c.at >= since, feedback.c.at < until)
        with self._database.read() as connection:
            actions = {row[0]: int(row[1]) for row in connection.execute(made.group_by(action))}
            votes = {row[0]: int(row[1]) for row in connection.execute(given.group_by(feedback.c.vote))}
        actions.pop(_REPLIED, None)
        return Tally(sum(actions.values()), actions.get(_DECLINED, 0), votes.get("up", 0), votes.get("down", 0))

    def cited(self, since: datetime, until: datetime) -> Counter[Place]:
        """Documents cited in answers made in that time → in how many of them; of the web none."""
        query = select(answers.c.body["citations"]).where(
            answers.c.made_at >= since, answers.c.made_at < until, _LOOKED_UP)
        with self._database.read() as connection:
            rows = connection.execution_options(yield_per=_BATCH).execute(query).scalars()
            return documents_of(one or () for one in rows)

    def first(self) -> datetime | None:
        """When the oldest answer was made that is still kept; None if there is none."""
        with self._database.read() as connection:
            return connection.execute(
                select(answers.c.made_at).order_by(answers.c.made_at).limit(1)
            ).scalar_one_or_none()

    def made_at(self, kind: str) -> datetime | None:
        """When the model was made that serves as this kind by the registry; None if none does."""
        query = select(models.c.made_at).join(model_pointers, model_pointers.c.model == models.c.name)
        with self._database.read() as connection:
            return connection.execute(query.where(model_pointers.c.kind == kind)).scalar_one_or_none()


def _allowed(choice: ExampleChoice | None, asked: QuestionAsked, made_at: datetime) -> bool:
    """Only a person can allow it. The surface's clock counts where it is behind, so that no denial is missed."""
    moment = min(asked.asked_at, made_at)
    return asked.asker.startswith("user:") and (choice or ExampleChoice()).covers(moment, asked.share_question)


# Of what nobody looked up, and of what was purged, there is no verdict.
# Whoever asked in a part of the documents alone does not say that the others lack the answer.
_UNFILTERED = outbox.c.question["filters"].as_string().is_(None)
_LOOKED_UP = answers.c.body[("verdict", "kind")].as_string().is_not(None)
