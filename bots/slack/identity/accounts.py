"""From access tags to accounts of Slack, and what these are called."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping

from bots.slack.api import OddRefusal, SlackApi
from bots.slack.identity.people import People, account_of
from bots.slack.identity.user_groups import UserGroups, is_user_group
from vouch.errors import Denied, SurfaceDown

MOST = 50                               # people of whom a group is looked through
_log = logging.getLogger(__name__)


class Found(list[str]):
    """User ids, each once. `untold`: why Slack does not tell now of one who may belong to them."""

    untold: OddRefusal | None = None

    def lacks(self, who: str, error: OddRefusal) -> None:
        _log.warning("slack: %s is nobody's that is known now: %s", who, error)
        self.untold = error

    def or_waits(self) -> "Found":
        """Raises `untold` where nobody else is found."""
        if self.untold and not self:
            raise self.untold
        return self


class Accounts:
    """Threads may share it. `people_in` names the people of a group, as `user:…`, by the directory in force."""

    def __init__(
        self, api: SlackApi, people: People, mapped: Mapping[str, str],
        people_in: Callable[[str], Iterable[str]], groups: UserGroups,
    ) -> None:  # fmt: skip
        self._api = api
        self._people = people
        self._mapped = mapped
        self._people_in = people_in
        self._groups = groups

    def of(self, tags: Iterable[str]) -> Found:
        """User ids of the people that the tags name, and of members of Slack's user groups, each once.

        Who is not surely one of them is left out, and of a group those beyond the first MOST. Raises SurfaceDown.
        """
        found = Found()
        for tag in dict.fromkeys(tags):
            self._add(found, self._named(tag, found))
        return found.or_waits()

    def askers(self, name: str) -> Found:
        """User ids of whoever asks under this name, which `People.voter` gave: also of a person who has several.

        Raises SurfaceDown.
        """
        account, found = account_of(name), Found()
        if account:                         # whoever asks so is known by that alone
            return Found([account] if self._people.reads_as(account) is not None else [])
        mapped = self._set_for(name)
        try:
            named = self._by_address(name, found)
        except SurfaceDown:
            if not mapped:
                raise
            named = []                      # who is set needs no address
        self._add(found, ((user, name) for user in (*mapped, *named)))
        return found.or_waits()

    def tag(self, user: str) -> str | None:
        """As `People.tag`."""
        return self._people.tag(user)

    def name(self, user: str) -> str:
        """As `People.name`."""
        return self._people.name(user)

    def direct(self, user: str) -> str:
        """The id of the conversation of this person and the app."""
        return str(self._api.call("conversations.open", users=user)["channel"]["id"])

    def _named(self, tag: str, found: Found) -> Iterator[tuple[str, str]]:
        """Accounts, each with the tag of whom it has to be; with none, it may be anybody's that was not taken away."""
        if is_user_group(tag):
            yield from ((user, "") for user in sorted(self._groups.members(tag))[:MOST])
            return
        for person in [tag] if tag.startswith("user:") else sorted(self._people_in(tag))[:MOST]:
            yield from ((user, person) for user in self._set_for(person) or self._by_address(person, found))

    def _add(self, found: Found, named: Iterable[tuple[str, str]]) -> None:
        """Those that are surely the ones."""
        for user, person in named:
            try:
                tag = self._people.tag(user)
            except OddRefusal as error:
                found.lacks(f"account {user}", error)
                continue
            if user not in found and (tag == person or (tag is not None and not person)):
                found.append(user)

    def _set_for(self, tag: str) -> list[str]:
        return [user for user, known in self._mapped.items() if known.lower() == tag]

    def _by_address(self, tag: str, found: Found) -> list[str]:
        name = tag.partition(":")[2]
        if "@" not in name:
            return []
        try:
            return [str(self._api.call("users.lookupByEmail", email=name)["user"]["id"])]
        except Denied:
            return []
        except OddRefusal as error:         # of that address alone
            found.lacks("an address", error)
            return []
