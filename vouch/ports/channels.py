"""How vouch behaves in a channel, as its people set it. A channel is named by its id, which no renaming changes."""

from typing import Annotated, Literal, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from vouch.access import parse_tag
from vouch.errors import BadAccess
from vouch.filters import MOST, Named

ACCOUNT = r"[UW][A-Z0-9]{1,40}"
USER_GROUP = r"S[A-Z0-9]{1,40}"


def _asker(text: str) -> str:
    """An account or a user group of Slack, or an access tag."""
    if ":" not in text and text != "public":
        return text
    try:
        return parse_tag(text)
    except BadAccess as error:
        raise ValueError(error.cause) from error


ChannelId = Annotated[str, StringConstraints(pattern=r"^[CG][A-Z0-9]{1,40}$")]
Asker = Annotated[
    str, StringConstraints(max_length=300, pattern=rf"^(?:{ACCOUNT}|{USER_GROUP}|public|(?:user|group):.+)$"),
    AfterValidator(_asker),
]
Owner = Annotated[str, StringConstraints(max_length=300, pattern=rf"^(?:{USER_GROUP}|(?:user|group):.+)$"),
                  AfterValidator(_asker)]


class ChannelSettings(BaseModel):
    """`answers`: what it is mentioned in, or also what looks like a question for documents.

    `sources` None: all. `ephemeral`: whoever asks reads the answer alone, so it holds what this person may read.
    `askers` empty: everybody may ask; else accounts and user groups of Slack, and access tags. `owners` are
    access tags of people and groups, and user groups of Slack, that help where vouch cannot.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    answers: Literal["mentions", "questions"] = "mentions"
    sources: Annotated[tuple[Named, ...] | None, Field(max_length=MOST)] = None
    ephemeral: bool = False
    askers: Annotated[tuple[Asker, ...], Field(max_length=MOST)] = ()
    owners: Annotated[tuple[Owner, ...], Field(max_length=20)] = ()


UNSET = ChannelSettings()


class Channels(Protocol):
    """Reads what is set at the moment of the call."""

    def get(self, channel_id: str) -> ChannelSettings:
        """UNSET where nothing was set."""
        ...

    def set(self, channel_id: str, settings: ChannelSettings, by: str) -> None:
        """From now on; `by` is kept for whoever wants to know."""
        ...
