"""What Slack calls accounts, groups of people and channels, and settings of a channel that name such."""

import re
from typing import Annotated

from pydantic import Field, StringConstraints

from vouch.filters import MOST
from vouch.ports.surface import MOST_OWNERS, ChannelSettings, Who

_CHANNEL = re.compile(r"[CG][A-Z0-9]{1,40}")
_ACCOUNT = r"[UW][A-Z0-9]{1,40}"
_USER_GROUP = r"S[A-Z0-9]{1,40}"
ACCOUNT = re.compile(_ACCOUNT)

Asker = Annotated[Who, StringConstraints(pattern=rf"^(?:{_ACCOUNT}|{_USER_GROUP}|public|(?:user|group):.+)$")]
Owner = Annotated[Who, StringConstraints(pattern=rf"^(?:{_USER_GROUP}|(?:user|group):.+)$")]


class NamedInSlack(ChannelSettings):
    """As a person chooses them: accounts, which may ask, and groups are ids of Slack."""

    askers: Annotated[tuple[Asker, ...], Field(max_length=MOST)] = ()
    owners: Annotated[tuple[Owner, ...], Field(max_length=MOST_OWNERS)] = ()


def is_channel(text: str) -> bool:
    return _CHANNEL.fullmatch(text) is not None
