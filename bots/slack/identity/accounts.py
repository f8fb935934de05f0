"""From access tags to accounts of Slack, and what these are called."""

from collections.abc import Callable, Iterable, Mapping

from bots.slack.api import SlackApi
from bots.slack.identity.people import People, account_of
from bots.slack.identity.user_groups import UserGroups, is_user_group
from vouch.errors import Denied, SurfaceDown

MOST = 50                               # people of whom a group is looked through


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

    def of(self, tags: Iterable[str]) -> list[str]:
        """User ids of the people that the tags name, and of members of Slack's user groups, each once.

        Who is not surely one of them is left out, and of a group those beyond the first MOST.
        """
        users: dict[str, None] = {}
        for tag in dict.fromkeys(tags):
            if is_user_group(tag):
                users.update(dict.fromkeys(self._at_work(sorted(self._groups.members(tag))[:MOST])))
                continue
            people = [tag] if tag.startswith("user:") else sorted(self._people_in(tag))[:MOST]
            for person in people:
                users.update(dict.fromkeys(user for user in self._of_person(person) if user))
        return list(users)

    def _at_work(self, users: Iterable[str]) -> list[str]:
        """Of accounts of a user group those that were not taken away."""
        return [user for user in users if self._people.tag(user) is not None]

    def askers(self, name: str) -> list[str]:
        """User ids of whoever asks under this name, which `People.voter` gave: also of a person who has several."""
        account = account_of(name)
        if account:
            return self._at_work([account])
        mapped = self._set_for(name)
        try:
            found = self._by_address(name)
        except SurfaceDown:
            if not mapped:
                raise
            found = []                      # who is set needs no address
        return self._surely(name, dict.fromkeys([*mapped, *found]))

    def tag(self, user: str) -> str | None:
        """As `People.tag`."""
        return self._people.tag(user)

    def name(self, user: str) -> str:
        """As `People.name`."""
        return self._people.name(user)

    def direct(self, user: str) -> str:
        """The id of the conversation of this person and the app."""
        return str(self._api.call("conversations.open", users=user)["channel"]["id"])

    def _of_person(self, tag: str) -> list[str]:
        return self._surely(tag, self._set_for(tag) or self._by_address(tag))

    def _surely(self, tag: str, users: Iterable[str]) -> list[str]:
        return [user for user in users if self._people.tag(user) == tag]

    def _set_for(self, tag: str) -> list[str]:
        return [user for user, known in self._mapped.items() if known.lower() == tag]

    def _by_address(self, tag: str) -> list[str]:
        name = tag.partition(":")[2]
        if "@" not in name:
            return []
        try:
            return [str(self._api.call("users.lookupByEmail", email=name)["user"]["id"])]
        except Denied:
            return []
