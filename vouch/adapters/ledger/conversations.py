"""Settings of channels, what Slack told, and questions that were changed or taken back.

A changed question is kept until it is answered, or for a day where that never comes. So is what Slack told to have
changed, so that every process drops what it keeps of it: a day is longer than anything is kept that Slack said.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import changed_questions, inbox, slack_changes, slack_channels, slack_events
from vouch.filters import EVERYTHING, Filters
from vouch.ports.surface import UNSET, ChannelSettings

KEPT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """As it was said at `at`; without `text` it was taken back."""

    question_id: str
    text: str | None
    at: datetime
    filters: Filters = EVERYTHING
    steps: int | None = None


class ChangedQuestions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, change: ChangedQuestion, now: datetime) -> bool:
        """False where it changes nothing: the question is answered, was changed later, or was taken back."""
        mine = changed_questions.c.question_id == change.question_id
        with self._database.write(f"question/{change.question_id}") as connection:
            forget_old(connection, now)
            if connection.execute(select(inbox).where(inbox.c.question_id == change.question_id)).first():
                return False
            known = connection.execute(select(changed_questions).where(mine)).first()
            if known is not None and (known.text is None or (change.text is not None and known.at > change.at)):
                return False
            connection.execute(delete(changed_questions).where(mine))
            connection.execute(insert(changed_questions).values(
                question_id=change.question_id, text=change.text, at=change.at, kept_at=now,
                filters=_written(change),
            ))  # fmt: skip
        return True

    def find(self, question_id: str) -> ChangedQuestion | None:
        query = select(changed_questions).where(changed_questions.c.question_id == question_id)
        with self._database.read() as connection:
            row = connection.execute(query).first()
        if row is None:
            return None
        told = dict(row.filters)
        steps = told.pop("steps", None)
        return ChangedQuestion(question_id, row.text, row.at, Filters.model_validate(told), steps)

    def take_back(self, question_id: str, at: datetime) -> None:
        """From now on it counts as answered, without an answer; its words are gone."""
        with self._database.write(f"question/{question_id}") as connection:
            if not connection.execute(select(inbox).where(inbox.c.question_id == question_id)).first():
                connection.execute(insert(inbox).values(question_id=question_id, done_at=at))
            _forget(connection, question_id)

    def forget(self, question_id: str) -> None:
        """Its words are where its answer is."""
        with self._database.write(f"question/{question_id}") as connection:
            _forget(connection, question_id)


def _written(change: ChangedQuestion) -> dict[str, Any]:
    """Both in one, as workers of before know filters alone."""
    told = change.filters.model_dump(mode="json")
    return told if change.steps is None else {**told, "steps": change.steps}


def _forget(connection: Connection, question_id: str) -> None:
    connection.execute(delete(changed_questions).where(changed_questions.c.question_id == question_id))


def forget_old(connection: Connection, now: datetime) -> None:
    """Those that nobody will answer any more are gone."""
    connection.execute(delete(changed_questions).where(changed_questions.c.kept_at <= now - KEPT))


@dataclass(frozen=True, slots=True)
class ChannelRow:
    channel: str
    settings: ChannelSettings
    changed_by: str
    changed_at: datetime


class SlackChannels:
    """Implements ports.Channels."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, channel_id: str) -> ChannelSettings:
        row = self.find(channel_id)
        return UNSET if row is None else row.settings

    def find(self, channel_id: str) -> ChannelRow | None:
        with self._database.read() as connection:
            found = connection.execute(select(slack_channels).where(slack_channels.c.channel == channel_id)).first()
        return None if found is None else _row(found)

    def list(self) -> list[ChannelRow]:
        with self._database.read() as connection:
            rows = [_row(found) for found in connection.execute(select(slack_channels))]
        return sorted(rows, key=lambda row: row.channel)

    def set(self, channel_id: str, settings: ChannelSettings, by: str) -> None:
        values = {"settings": settings.model_dump(mode="json"), "changed_by": by, "changed_at": datetime.now(UTC)}
        mine = slack_channels.c.channel == channel_id
        with self._database.write(f"slack channel/{channel_id}") as connection:
            if not connection.execute(update(slack_channels).where(mine).values(**values)).rowcount:
                connection.execute(insert(slack_channels).values(channel=channel_id, **values))

    def unset(self, channel_id: str) -> bool:
        """False if nothing was set."""
        with self._database.write(f"slack channel/{channel_id}") as connection:
            gone = connection.execute(delete(slack_channels).where(slack_channels.c.channel == channel_id))
        return bool(gone.rowcount)

    def channel_owners(self, channel_id: str) -> tuple[str, ...]:
        """Access tags of whom to call there; none where nothing was set."""
        return self.get(channel_id).owners


def _row(found: Row[tuple[object, ...]]) -> ChannelRow:
    return ChannelRow(found.channel, ChannelSettings.model_validate(found.settings), found.changed_by,
                      found.changed_at)


CHANGES_KEPT = timedelta(days=1)
_BATCH = 500


class SlackChanges:
    """Knows ids of 60 characters at most: of conversations, accounts, and user groups. Threads may share it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, subject: str, at: datetime) -> None:
        """From now on it has another stamp."""
        fresh = {"stamp": uuid.uuid4().hex, "at": at}
        with self._database.write(f"slack change/{subject}") as connection:
            known = update(slack_changes).where(slack_changes.c.subject == subject).values(**fresh)
            if not connection.execute(known).rowcount:
                connection.execute(insert(slack_changes).values(subject=subject, **fresh))

    def stamps(self, subjects: Iterable[str]) -> Mapping[str, str]:
        """Of those that changed within the last day. One that is as it was before means that nothing was told since."""
        wanted, found = list(subjects), dict[str, str]()
        with self._database.read() as connection:
            for begin in range(0, len(wanted), _BATCH):
                rows = select(slack_changes.c.subject, slack_changes.c.stamp).where(
                    slack_changes.c.subject.in_(wanted[begin : begin + _BATCH]))
                found |= {row.subject: row.stamp for row in connection.execute(rows)}
        return found


def forget_changes(connection: Connection, now: datetime) -> None:
    connection.execute(delete(slack_changes).where(slack_changes.c.at <= now - CHANGES_KEPT))


EVENTS_KEPT = timedelta(days=1)


class SlackEvents:
    """Knows ids of 100 characters at most."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def was_taken(self, event_id: str) -> bool:
        with self._database.read() as connection:
            return _known(connection, event_id)

    def take(self, event_id: str, at: datetime) -> None:
        """May be called again."""
        with self._database.write(f"slack event/{event_id}") as connection:
            if not _known(connection, event_id):
                connection.execute(insert(slack_events).values(event_id=event_id, taken_at=at))

    def last(self) -> datetime | None:
        """When the last one was taken; None if none ever was."""
        with self._database.read() as connection:
            newest = select(slack_events.c.taken_at).order_by(slack_events.c.taken_at.desc()).limit(1)
            return connection.execute(newest).scalar_one_or_none()


def forget_events(connection: Connection, now: datetime) -> None:
    """Those that Slack does not tell again any more, but the last one: it says that events came at all."""
    last = connection.execute(select(func.max(slack_events.c.taken_at))).scalar_one_or_none()
    if last is not None:
        old = min(now - EVENTS_KEPT, last - timedelta(microseconds=1))
        connection.execute(delete(slack_events).where(slack_events.c.taken_at <= old))


def _known(connection: Connection, event_id: str) -> bool:
    return connection.execute(select(slack_events.c.event_id).where(slack_events.c.event_id == event_id)).first() \
        is not None
