"""How questions were answered: what is looked at afterwards, long after anybody waits for it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, feedback, model_pointers, models, outbox
from vouch.adapters.ledger.usage.cited import Place, documents_of
from vouch.adapters.ledger.usage.example_choices import ExampleChoice, ExampleChoices
from vouch.answering.removed import REMOVED

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

    What was purged or deleted as too old is in none of it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def answers(self, since: datetime, until: datetime) -> Iterator[PastAnswer]:
        """Those made from `since` on and before `until`, the oldest first."""
        choices = ExampleChoices(self._database).all()
        body, down = answers.c.body, select(feedback.c.answer_id).where(feedback.c.vote == "down")
        query = (
            select(
                body["question"].as_string(), outbox.c.question["asker"].as_string(), answers.c.made_at,
                body["action"].as_string(), body[("confidence", "value")].as_float(), answers.c.answer_id.in_(down),
                outbox.c.question["asked_at"].as_string(), outbox.c.question["share_question"].as_boolean(),
            )
            .join(outbox, outbox.c.question_id == answers.c.question_id)
            .where(answers.c.made_at >= since, answers.c.made_at < until, _LOOKED_UP, _UNFILTERED)
            .order_by(answers.c.made_at, answers.c.answer_id)
        )  # fmt: skip
        with self._database.read() as connection:
            rows = connection.execution_options(yield_per=_BATCH).execute(query)
            for text, asker, at, action, confidence, voted, asked_at, share in rows:
                if text != REMOVED and action != _REPLIED:
                    yield PastAnswer(
                        text, asker, at, action == _DECLINED, float(confidence or 0.0), bool(voted),
                        _allowed(choices.get(asker), asker, asked_at, at, bool(share)),
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


def _allowed(choice: ExampleChoice | None, asker: str, asked_at: str, made_at: datetime, said_so: bool) -> bool:
    """Only a person can allow it. The surface's clock counts where it is behind, so that no denial is missed."""
    moment = min(datetime.fromisoformat(asked_at), made_at)
    return asker.startswith("user:") and (choice or ExampleChoice()).covers(moment, said_so)


# Of what nobody looked up, and of what was purged, there is no verdict.
# Whoever asked in a part of the documents alone does not say that the others lack the answer.
_UNFILTERED = outbox.c.question["filters"].as_string().is_(None)
_LOOKED_UP = answers.c.body[("verdict", "kind")].as_string().is_not(None)
