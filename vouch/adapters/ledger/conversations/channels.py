"""How the channels of Slack are set, and by whom."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Row, delete, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import slack_channels
from vouch.ports.surface import UNSET, ChannelSettings


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

    def move(self, channel_id: str, to: str) -> None:
        """The channel has another id; what is set under that already stays. May be called again."""
        old, new = (slack_channels.c.channel == one for one in (channel_id, to))
        with self._database.write(f"slack channel/{channel_id}") as connection:
            if connection.execute(select(slack_channels).where(new)).first() is None:
                connection.execute(update(slack_channels).where(old).values(channel=to))

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
