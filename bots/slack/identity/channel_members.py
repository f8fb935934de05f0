"""Who reads along in a conversation of Slack."""

import time
from collections.abc import Callable, Mapping, Sequence

from bots.slack.api import OddRefusal, SlackApi
from bots.slack.identity.members_cache import Changes, KeptMembers, Members, Untold
from bots.slack.identity.membership import PAGE, is_member
from bots.slack.identity.people import People
from bots.slack.place import flat_beginning, is_thread, read_place
from vouch.access import PUBLIC
from vouch.errors import BadInput, Denied, SurfaceDown

_PUBLIC = (PUBLIC,)
_OLD_S = 5.0                            # what was told so long ago of a conversation is asked for again
_NAMED_S = 10.0                         # and in which people are named for good
_LOOKS = 3


class SlackConversations:
    """Implements ports.Conversations. Members are kept for `seconds`, or until `changes` tells of one."""

    def __init__(
        self, api: SlackApi, people: People, *, most: int, open_channels_are_public: bool, seconds: float = 0.0,
        changes: Changes | None = None, monotonic: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._api = api
        self._people = people
        self._most = most
        self._open_is_public = open_channels_are_public
        self._monotonic = monotonic
        self._changes = changes or Untold()
        self._kept = KeptMembers(self._asked, self._changes, seconds, monotonic)

    def readers(self, conversation: str, *, anew: bool = False) -> tuple[str, ...]:
        """One tag for each member; PUBLIC alone as soon as one of them has no other. Raises SurfaceDown.

        `anew` asks Slack whatever is kept, also for accounts it told of more than _OLD_S ago, or longer where many read
        along in a large workspace, as `People.tags` says. Pages of members and accounts are slow to look up: whoever
        joined meanwhile counts too, and of whom a change was told is asked for again.
        """
        known: dict[str, tuple[str | None, str]] = {}
        for _ in range(_LOOKS):
            begun = self._monotonic()
            try:
                place = read_place(conversation)
                before = self._changes.stamps([place.channel])
                members = self._kept.of(place.channel, anew=anew) if place.team == self._api.me["team_id"] else None
            except (BadInput, Denied, OddRefusal):      # no such conversation, or none that it may look into
                return _PUBLIC
            within = _OLD_S if anew else None
            tags, anew = self._tags(members or (), known, within), True     # a further look is for what changed since
            if tags == _PUBLIC:
                return tags
            if self._monotonic() - begun < _OLD_S and self._unchanged(place.channel, before, known):
                return tags
        raise SurfaceDown("Slack takes too long to tell who reads along, or all the time of changes",
                          cure="it is tried again")

    def is_thread(self, thread: str) -> bool:
        return is_thread(thread)

    def asked_alone(self, question_id: str, thread: str) -> str:
        return flat_beginning(question_id, thread)

    def named_readers(self, conversation: str) -> tuple[str, ...] | None:
        """`user:…` of each member: exactly these people, for what only they may read later.

        None unless each member is surely known; here `public` would let everybody in. So is what took long to look up:
        the first account may have changed since. Raises SurfaceDown.
        """
        begun = self._monotonic()
        tags = self.readers(conversation, anew=True)
        if self._monotonic() - begun > _NAMED_S:
            return None
        people = tuple(tag for tag in tags if tag.startswith("user:"))     # an app that stands for a group is nobody
        return None if PUBLIC in tags or not people else people

    def has(self, conversation: str, user: str) -> bool:
        """Whether that account is a member, as Slack tells now. Raises SurfaceDown."""
        try:
            place = read_place(conversation)
        except BadInput:
            return False
        return place.team == self._api.me["team_id"] and is_member(self._api, user, place.channel)

    def members(self, conversation: str) -> frozenset[str]:
        """User ids of all members, however many; nobody where the app is not itself one. Raises SurfaceDown."""
        try:
            place = read_place(conversation)
            if place.team != self._api.me["team_id"]:
                return frozenset()
            rows = self._api.pages("conversations.members", "members", channel=place.channel, limit=PAGE)
            return frozenset(str(member) for member in rows) - {self._api.me["user_id"]}
        except (BadInput, Denied):
            return frozenset()

    def _tags(
        self, members: Sequence[str], known: dict[str, tuple[str | None, str]], within: float | None
    ) -> tuple[str, ...]:
        """Of accounts that are not in `known`, or have changed since, which then are there with their stamp."""
        stamps = self._changes.stamps(members)
        unsure = [one for one in members if one not in known or known[one][1] != stamps.get(one, "")]
        for member, tag in self._people.tags(unsure, within):
            known[member] = tag, stamps.get(member, "")
            if tag == PUBLIC:
                return _PUBLIC
        return tuple(sorted({tag for member in members if (tag := known[member][0]) is not None})) or _PUBLIC

    def _unchanged(self, channel: str, before: Mapping[str, str], known: Mapping[str, tuple[str | None, str]]) -> bool:
        """Whether nothing was told of the channel and of these accounts since they were looked up."""
        now = self._changes.stamps([channel, *known])
        return now.get(channel) == before.get(channel) and all(
            now.get(one, "") == stamp for one, (_, stamp) in known.items())

    def _anybody_reads(self, channel: str) -> bool:
        """Whether people read along who are no members, or not of this organisation."""
        told = self._api.call("conversations.info", channel=channel)["channel"]
        if any(told.get(name) for name in ("is_ext_shared", "is_pending_ext_shared", "is_org_shared")):
            return True
        closed = told.get("is_im") or told.get("is_mpim") or told.get("is_private")
        return self._open_is_public and not closed

    def _asked(self, channel: str) -> Members | None:
        """Without the bot itself; None if they are too many, or others read along. Raises SurfaceDown and Denied."""
        if self._anybody_reads(channel):
            return None
        found: list[str] = []
        for member in self._api.pages("conversations.members", "members", channel=channel, limit=PAGE):
            if member != self._api.me["user_id"]:
                found.append(str(member))
            if len(found) > self._most:
                return None
        return tuple(found)
