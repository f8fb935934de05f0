"""How vouch behaves in channels of Slack, as `vouch slack channel` sets and shows it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from vouch.access_check.directory import unknown_among
from vouch.adapters.ledger import ChannelRow, Ledger
from vouch.errors import NotFound, Usage
from vouch.invalid import problems
from vouch.messages import TERMINAL
from vouch.ports.surface import ChannelSettings


@dataclass(frozen=True)
class ChannelService:
    """The surface tells what `is_channel`, and which `names` a person may choose."""

    ledger: Ledger
    is_channel: Callable[[str], bool]
    names: type[ChannelSettings]

    def set(self, channel: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Changes these settings of a channel; the others stay. Raises Usage for what cannot be set, NotFound for an
        unknown source.
        """
        before = self.ledger.slack_channels.get(self._checked(channel))
        try:
            settings = self.names.model_validate(before.model_dump() | dict(changes))
        except ValidationError as error:
            cure = "write user:NAME or group:NAME; who may ask may also be an account of Slack, as U024BE7LH"
            raise Usage(problems(error.errors()), cure=cure) from error
        for name in settings.sources or () if "sources" in changes else ():
            self.ledger.sources.get(name)
        self.ledger.slack_channels.set(channel, settings, TERMINAL)
        return self.show(channel)

    def show(self, channel: str) -> dict[str, Any]:
        """Raises NotFound where nothing was set."""
        row = self.ledger.slack_channels.find(self._checked(channel))
        if row is None:
            raise NotFound(f"nothing was set for {channel}", cure="there it answers mentions, as it does everywhere")
        return self._told(row)

    def list(self) -> list[dict[str, Any]]:
        return [self._told(row) for row in self.ledger.slack_channels.list()]

    def unset(self, channel: str) -> None:
        """Raises NotFound where nothing was set."""
        if not self.ledger.slack_channels.unset(self._checked(channel)):
            raise NotFound(f"nothing was set for {channel}", cure="vouch slack channel list shows what is set")

    def _told(self, row: ChannelRow) -> dict[str, Any]:
        known = {source.name for source in self.ledger.sources.list()}
        missing = [name for name in row.settings.sources or () if name not in known]
        directory = self.ledger.access.permissions().directory
        return {
            "channel": row.channel, **row.settings.model_dump(mode="json"), "unknown_sources": missing,
            "warnings": unknown_among(directory, (*row.settings.askers, *row.settings.owners)),
            "changed_by": row.changed_by, "changed_at": row.changed_at.isoformat(),
        }  # fmt: skip

    def _checked(self, channel: str) -> str:
        if not self.is_channel(channel):
            cure = "the id is at the end of the channel's details in Slack, as C024BE7LR; names change"
            raise Usage(f"{channel[:60]!r} is not the id of a channel", cure=cure)
        return channel


