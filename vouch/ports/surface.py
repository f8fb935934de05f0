"""Where people ask and read: surfaces, their channels and conversations, and who looks after them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol, runtime_checkable

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from vouch.access import parse_tag
from vouch.errors import BadAccess
from vouch.filters import MOST, Named


@dataclass(frozen=True, slots=True)
class Delivery:
    """An answer on its way to the surface it was asked on.

    `until`, of `time.monotonic`: what its readers may read was looked up so
    recently that a post may begin. A surface that has to wait first, for a
    lock of its own, posts no later than that. `unasked`: nobody addressed the
    question to vouch, so a decline need not disturb anybody but its asker.
    `found`: what a surface that prepares found.
    """

    question_id: str
    thread: str | None
    answer: Mapping[str, Any]
    until: float | None = None
    unasked: bool = False
    found: Any = None


AfterDoubt = Literal["ask", "repeat"]
"""What to do when a post may or may not have arrived.

ask      the receiver tells whether it has the question id: `has` is called, and `post` only if it has not
repeat   the receiver cannot be asked, but keeps the first post of a question id and drops others: `post` is called
"""


class Surface(Protocol):
    """A place where people ask and read. The question id travels with each post, for the receiver to know it by.

    A receiver that can neither be asked nor drops repeats is none: nobody
    could promise that an answer comes once.
    """

    @property
    def after_doubt(self) -> AfterDoubt: ...

    def has(self, delivery: Delivery) -> bool:
        """Whether the answer to this question is there already. Raises Unavailable where nobody can tell now."""
        ...

    def post(self, delivery: Delivery) -> None:
        """Afterwards it is there for people to see, with the question id. One attempt, within a minute.

        Raises Unavailable when the receiver is down or slow, and whenever it
        may or may not have arrived; ConversationDown where others there are
        taken meanwhile; Denied where nobody may ever post it;
        BadInput where the receiver refuses this answer and might take another.
        """
        ...


MOST_OWNERS = 20


@runtime_checkable
class Preparing(Protocol):
    """A surface that looks something up for each post. It may take long, unlike a post."""

    def prepared(self, delivery: Delivery) -> Delivery:
        """With what was found, before its readers are looked up for the last time. Raises as `post`."""
        ...


def _named(text: str) -> str:
    """What has no colon is the surface's own name of an account or a group, which the surface checks."""
    if ":" not in text and text != "public":
        return text
    try:
        return parse_tag(text)
    except BadAccess as error:
        raise ValueError(error.cause) from error


Who = Annotated[str, StringConstraints(min_length=1, max_length=300), AfterValidator(_named)]


class ChannelSettings(BaseModel):
    """`answers`: what it is mentioned in, or also what looks like a question for documents.

    `sources` None: all. `ephemeral`: whoever asks reads the answer alone, so it holds what this person may read.
    `askers` empty: everybody may ask; else access tags, and accounts and groups as the surface calls them. `owners`
    are access tags of people and groups, and groups of the surface, that help where vouch cannot.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    answers: Literal["mentions", "questions"] = "mentions"
    sources: Annotated[tuple[Named, ...] | None, Field(max_length=MOST)] = None
    ephemeral: bool = False
    askers: Annotated[tuple[Who, ...], Field(max_length=MOST)] = ()
    owners: Annotated[tuple[Who, ...], Field(max_length=MOST_OWNERS)] = ()


UNSET = ChannelSettings()


class Channels(Protocol):
    """Reads what is set at the moment of the call."""

    def get(self, channel_id: str) -> ChannelSettings:
        """UNSET where nothing was set."""
        ...

    def set(self, channel_id: str, settings: ChannelSettings, by: str) -> None:
        """From now on; `by` is kept for whoever wants to know."""
        ...

    def move(self, channel_id: str, to: str) -> None:
        """The channel has another id; what is set under that already stays."""
        ...


class Conversations(Protocol):
    """Of one surface."""

    def readers(self, conversation: str, *, anew: bool = False) -> tuple[str, ...]:
        """Access tags of all who would read a message there now, at least one. What all of them may read, it may hold.

        It may be a moment old, unless it is to be looked up `anew`, as right
        before a post. `public` stands for whoever cannot be told for sure.
        Raises SurfaceDown where nobody can tell now who is there.
        """
        ...

    def is_thread(self, thread: str) -> bool:
        """Whether what was asked there belongs together, and did not merely begin at the same place."""
        ...

    def asked_alone(self, question_id: str, thread: str) -> str:
        """Where one person alone asks, outside a thread, so that a question may go on from what was asked there a
        moment ago; else empty."""
        ...


class Owners(Protocol):
    def owners_of(self, source: str, path: str) -> tuple[str, ...]:
        """Access tags (`user:…`, `group:…`) in order; none if nobody is named or there is no such document.

        An owner need not be allowed to read it: who is told of a document is decided by its label alone.
        """
        ...

    def named(self) -> tuple[str, ...]:
        """Everybody who is named as an owner of anything, in order."""
        ...


class ChannelOwners(Protocol):
    """Of the conversations of a surface."""

    def channel_owners(self, channel_id: str) -> tuple[str, ...]:
        """Access tags, `user:…` or `group:…`; none where nobody was named."""
        ...
