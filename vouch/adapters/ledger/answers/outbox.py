"""Answers on their way to a surface, and the ledger as the surface that programs here read.

pending   waits until it is due
sending   claimed by one sender, which looks at it; whoever finds it left behind may begin anew
posting   on its way this very moment; whoever finds it left behind is in doubt whether it arrived
sent      there for people to see
failed    dead: nobody tries again, and the note says why

`due_at`, the ends of claims included, is a moment of the ledger's clock, so
that machines whose clocks differ agree on it. Callers give their own.
"""

import threading
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, select, tuple_, update

from vouch.adapters.ledger.answers.answers import checked_candidate, put_answer, refuse_overtaken
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, outbox, posted
from vouch.adapters.ledger.notices import NewNotice, put_notice
from vouch.errors import Busy
from vouch.messages import QuestionAsked
from vouch.ports.surface import AfterDoubt, Delivery

_MAY_BE_POSTED, _POSTED = 1, 2
UNDER_WAY = ("pending", "sending", "posting")
_earlier = outbox.alias("earlier")
_COMES_AFTER = (
    select(_earlier.c.question_id)
    .where(_earlier.c.thread == outbox.c.thread, _earlier.c.surface == outbox.c.surface)
    .where(_earlier.c.state.in_(UNDER_WAY))
    .where(tuple_(_earlier.c.asked_at, _earlier.c.question_id) < tuple_(outbox.c.asked_at, outbox.c.question_id))
    .exists()
)
# A sender looks many times for one answer: to build what it asks took as long as to ask it.
_DUE = (
    outbox.c.state.in_(UNDER_WAY) & (outbox.c.due_at <= bindparam("now"))
    & outbox.c.surface.in_(bindparam("surfaces", expanding=True)) & ~_COMES_AFTER
)  # fmt: skip
_IS_ANY_DUE = select(outbox.c.question_id).where(_DUE).limit(1)
_FIRST_DUE = (
    select(outbox, answers.c.body)
    .join(answers, answers.c.question_id == outbox.c.question_id)
    .where(_DUE)
    .order_by(outbox.c.due_at, outbox.c.question_id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True, of=outbox)
)
_TAKE = (
    update(outbox)
    .where(outbox.c.question_id.in_(bindparam("taken", expanding=True)))
    .values(state="sending", claim=bindparam("token"), due_at=bindparam("lease_ends"))
)


@dataclass(frozen=True, slots=True)
class OutboxRow:
    question: QuestionAsked
    answer: Mapping[str, Any]
    given: tuple[str, ...]
    doubt: bool                         # a former sender may have posted it
    posted: bool                        # it surely has
    attempts: int                       # failed ones
    rechecks: int                       # how often it was answered anew
    claim: str


class Outbox:
    """`arrived` is set by whoever puts an answer there in this process."""

    def __init__(self, database: Database, arrived: threading.Event) -> None:
        self._database = database
        self._arrived = arrived

    def wait(self, seconds: float) -> None:
        """Until this process puts an answer there, or the time is over: of other processes it does not hear."""
        if self._arrived.wait(seconds):
            self._arrived.clear()

    def claim(self, surfaces: Sequence[str], now: datetime, lease: timedelta, limit: int = 10) -> list[OutboxRow]:
        """Rows of these surfaces that are due, oldest first; until `now + lease` nobody else gets them.

        None while an earlier question of its thread has an answer on the way: those of a thread are seen in order.
        """
        token = uuid.uuid4().hex
        with self._database.read() as connection:       # an idle sender takes no write lock
            now += self._database.behind(connection)
            wanted = {"now": now, "surfaces": list(surfaces)}
            if connection.execute(_IS_ANY_DUE, wanted).first() is None:
                return []
        with self._database.write() as connection:
            rows = connection.execute(_FIRST_DUE, {**wanted, "most": limit}).all()
            taken = [row.question_id for row in rows]
            connection.execute(_TAKE, {"taken": taken, "token": token, "lease_ends": now + lease})
        return [
            OutboxRow(
                QuestionAsked.model_validate(row.question), row.body, tuple(row.given),
                bool(row.doubt), row.doubt == _POSTED, row.attempts, row.rechecks, token,
            )
            for row in rows
        ]  # fmt: skip

    def posting(self, row: OutboxRow, now: datetime, lease: timedelta) -> bool:
        """From here on a crash leaves doubt. False if somebody else holds the row by now: then it may not be posted."""
        return self._change(row, state="posting", due=now + lease, doubt=_MAY_BE_POSTED)

    def sent(self, row: OutboxRow, at: datetime, notice: NewNotice | None = None) -> bool:
        """It is there for people to see, and the notice waits. False if somebody else holds the row by now."""
        with self._database.write() as connection:
            done = self._update(connection, row, state="sent", claim=None, sent_at=at, doubt=0)
            _put(connection, notice if done else None, at)
        return done

    def later(
        self, row: OutboxRow, due_at: datetime, note: str, *, posted: bool, surely: bool = False, failed: bool = True,
        conversation: str = "",
    ) -> bool:  # fmt: skip
        """Gives the row back until `due_at`. `posted`: it may be there already; `surely`: it is; `failed`: this counts
        as an attempt. What waits for any thread of `conversation` waits as long."""
        with self._database.write() as connection:
            done = self._update(
                connection, row, state="pending", claim=None, due=due_at, note=note[:500],
                attempts=outbox.c.attempts + int(failed), doubt=_POSTED if surely else int(posted),
            )  # fmt: skip
            if conversation:
                self._hold(connection, row.question.surface, conversation, due_at)
        return done

    def fail(self, row: OutboxRow, note: str, at: datetime | None = None, notice: NewNotice | None = None) -> bool:
        """Nobody tries again, and the notice waits from `at` on."""
        with self._database.write() as connection:
            done = self._update(connection, row, state="failed", claim=None, note=note[:500])
            _put(connection, notice if done else None, at)
        return done

    def replace(
        self,
        row: OutboxRow,
        answer: Mapping[str, Any],
        rows: Sequence[Mapping[str, Any]],
        given: Sequence[str],
        at: datetime,
        rechecks: int,
        began: int = 0,
        steps: Sequence[Mapping[str, Any]] = (),
    ) -> bool:
        """Another answer takes the place of one that nobody has seen, and is due at once.

        `began` and `steps` as of `Answers.record`. Raises Overtaken as that does.
        """
        checked = [checked_candidate(candidate) for candidate in rows]
        with self._database.write() as connection:
            moved = self._update(
                connection, row, state="pending", claim=None, due=at, given=list(given), doubt=0, attempts=0,
                rechecks=rechecks,
            )  # fmt: skip
            if moved:
                put_answer(connection, row.question.id, answer, checked, at, steps)
                if given or checked:
                    refuse_overtaken(connection, began)
        return moved

    def fail_unserved(self, served: Collection[str], before: datetime, note: str) -> int:
        """Fails what was answered before that moment and waits for a surface that nobody serves. How many."""
        old = select(answers.c.question_id).where(answers.c.made_at < before)
        strange = (
            (outbox.c.state == "pending") & outbox.c.surface.not_in(served) & outbox.c.question_id.in_(old)
        )
        with self._database.read() as connection:
            if connection.execute(select(outbox.c.question_id).where(strange).limit(1)).first() is None:
                return 0
        with self._database.write() as connection:
            return connection.execute(update(outbox).where(strange).values(state="failed", note=note[:500])).rowcount

    def is_over(self, question_id: str) -> bool:
        """Whether its answer was sent, or nobody tries any more."""
        return self._is(question_id, "sent", "failed")

    def has_failed(self, question_id: str) -> bool:
        """Whether nobody tries any more to send its answer."""
        return self._is(question_id, "failed")

    def _is(self, question_id: str, *states: str) -> bool:
        mine = (outbox.c.question_id == question_id) & outbox.c.state.in_(states)
        with self._database.read() as connection:
            return connection.execute(select(outbox.c.question_id).where(mine)).first() is not None

    def waiting(self) -> dict[str, tuple[int, datetime]]:
        """Of each surface that answers wait for: how many, and when the oldest of them was made."""
        query = (
            select(outbox.c.surface, func.count(), func.min(answers.c.made_at))
            .join(answers, answers.c.question_id == outbox.c.question_id)
            .where(outbox.c.state.in_(UNDER_WAY))
            .group_by(outbox.c.surface)
        )
        with self._database.read() as connection:
            return {surface: (int(count), oldest) for surface, count, oldest in connection.execute(query)}

    def counts(self) -> dict[str, int]:
        """Rows by state."""
        with self._database.read() as connection:
            rows = connection.execute(select(outbox.c.state, func.count()).group_by(outbox.c.state))
            return {state: int(count) for state, count in rows}

    def _hold(self, connection: Connection, surface: str, conversation: str, until: datetime) -> None:
        due = until + self._database.behind(connection)
        there = (outbox.c.thread == conversation) | outbox.c.thread.startswith(f"{conversation}/", autoescape=True)
        waits = (outbox.c.state == "pending") & (outbox.c.surface == surface) & (outbox.c.due_at < due)
        connection.execute(update(outbox).where(waits & there).values(due_at=due))

    def _change(self, row: OutboxRow, **values: Any) -> bool:
        with self._database.write() as connection:
            return self._update(connection, row, **values)

    def _update(
        self, connection: Connection, row: OutboxRow, *, due: datetime | None = None, **values: Any
    ) -> bool:
        if due is not None:
            values["due_at"] = due + self._database.behind(connection)
        mine: ColumnElement[bool] = (outbox.c.question_id == row.question.id) & (outbox.c.claim == row.claim)
        return connection.execute(update(outbox).where(mine).values(**values)).rowcount > 0


def _put(connection: Connection, notice: NewNotice | None, at: datetime | None) -> None:
    if notice is not None:
        assert at is not None
        put_notice(connection, notice.id, notice.kind, notice.body, at)


class LedgerSurface:
    """Implements ports.Surface, for the terminal and whoever else waits for an answer by question id."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._posted: list[Callable[[str], None]] = []

    def when_posted(self, tell: Callable[[str], None]) -> None:
        """From now on `tell` is called with the question's id after each post of this process; of others it hears
        nothing."""
        self._posted.append(tell)

    @property
    def after_doubt(self) -> AfterDoubt:
        return "ask"

    def has(self, delivery: Delivery) -> bool:
        return self.read(delivery.question_id) is not None

    def post(self, delivery: Delivery) -> None:
        """May be called again; the first post stays. Raises Conflict when the answer was withdrawn meanwhile.

        Raises Busy if the ledger let nobody write until the look at what its readers may read was old.
        """
        with self._database.write(f"posted/{delivery.question_id}") as connection:
            if delivery.until is not None and time.monotonic() > delivery.until:
                raise Busy("the ledger was busy, and who may read what is looked up again", cure="it is tried again")
            if connection.execute(select(posted).where(posted.c.question_id == delivery.question_id)).first() is None:
                connection.execute(
                    insert(posted).values(
                        question_id=delivery.question_id,
                        answer_id=delivery.answer["id"],
                        posted_at=datetime.now(UTC),
                    )
                )
        for tell in self._posted:
            tell(delivery.question_id)

    def read(self, question_id: str) -> dict[str, Any] | None:
        """The answer's JSON once it was sent; None before."""
        query = select(answers.c.body).join(posted, posted.c.answer_id == answers.c.answer_id)
        with self._database.read() as connection:
            body = connection.execute(query.where(posted.c.question_id == question_id)).scalar_one_or_none()
        return dict(body) if body is not None else None

    def sent_among(self, question_ids: Sequence[str]) -> set[str]:
        """Those of the questions whose answer was sent."""
        query = select(posted.c.question_id).where(posted.c.question_id.in_(question_ids))
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())
