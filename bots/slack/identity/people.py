"""Whom an account of Slack stands for among the people that access rules know."""

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bots.slack.api import OddRefusal, SlackApi
from bots.slack.identity.everybody import FEW, Everybody
from bots.slack.identity.members_cache import Changes, Untold
from vouch.access import PUBLIC, parse_tag
from vouch.errors import BadAccess, Denied, Usage

_MOST_KEPT = 10_000
SOMEBODY = "somebody"
_VOTER = re.compile(r"user:slack\.[a-z0-9]{1,40}\.([uw][a-z0-9]{1,40})", re.IGNORECASE)


class _Told(NamedTuple):
    tag: str | None
    app: bool
    name: str
    stamp: str
    since: float


class People:
    """Threads may share it. What Slack says of an account counts for `seconds`, or until `changes` tells of it."""

    def __init__(
        self, api: SlackApi, mapped: Mapping[str, str], seconds: float, clock: Callable[[], float] = time.monotonic,
        changes: Changes | None = None,
    ) -> None:  # fmt: skip
        """`mapped`: Slack user id → access tag. Raises Usage if one is no tag."""
        self._api = api
        self._mapped = {user: _mapped(user, tag) for user, tag in mapped.items()}
        self._seconds = seconds
        self._clock = clock
        self._changes = changes or Untold()
        self._known: dict[str, _Told] = {}
        self._lock = threading.Lock()
        self._everybody = Everybody(api, clock)
        self._looking = threading.Lock()

    def tag(self, user: str) -> str | None:
        """Whose rights the account has: PUBLIC unless that is sure. None: it cannot read anything any more.

        Raises SurfaceDown.
        """
        return self._now(user).tag

    def tags(self, users: Sequence[str], within: float | None = None) -> Iterator[tuple[str, str | None]]:
        """Of each reader in turn, as it is taken; with `within`, what was said longer ago does not count. Of whom Slack
        does not tell, for a reason that is not known, PUBLIC: nobody waits for one reader. Raises SurfaceDown.

        Of more than FEW the whole workspace is asked for: `within` is then for each call that this takes, and does not
        count where there are too many accounts for it.
        """
        begun = self._clock()
        seconds = self._seconds if within is None else min(within, self._seconds)
        stamps = self._changes.stamps(users) if self._seconds else {}
        if len(users) > FEW and seconds:
            seconds = self._looked_at_all(users, stamps, begun, seconds)
        for user in users:
            yield user, self._of_reader(user, stamps.get(user, ""), begun - seconds)

    def _of_reader(self, user: str, stamp: str, oldest: float) -> str | None:
        try:
            return self._told(user, stamp, oldest).tag
        except OddRefusal:
            return PUBLIC

    def is_app(self, user: str) -> bool:
        """Whether the account is no person's. Raises SurfaceDown."""
        return self._now(user).app

    def name(self, user: str) -> str:
        """As people call the account. Raises SurfaceDown."""
        return self._now(user).name

    def _now(self, user: str) -> _Told:
        stamps = self._changes.stamps([user]) if self._seconds else {}
        return self._told(user, stamps.get(user, ""), self._clock() - self._seconds)

    def _looked_at_all(self, users: Sequence[str], stamps: Mapping[str, str], begun: float, within: float) -> float:
        """How long what was said of them counts, once everybody was asked for if that of many is older."""
        with self._looking:             # whoever waits here finds what the other was told
            seconds = self._counts(within)
            old = [user for user in users if self._kept(user, stamps.get(user, ""), begun - seconds) is None]
            if len(old) > FEW and not self._everybody.too_many:
                self._look_at_all(users)
        return self._counts(within)

    def _counts(self, within: float) -> float:
        return self._seconds if self._everybody.too_many else min(within * self._everybody.calls, self._seconds)

    def _look_at_all(self, users: Sequence[str]) -> None:
        """What is said of these and of all that are known is kept; a change after this began is none of it."""
        with self._lock:
            wanted = {*users, *self._known}
        stamps, now = self._changes.stamps(wanted), self._clock()
        for row in self._everybody.rows(wanted):
            user = str(row["id"])
            self._keep(user, row, stamps.get(user, ""), now)

    def _told(self, user: str, stamp: str, oldest: float) -> _Told:
        known = self._kept(user, stamp, oldest)
        if known is not None:
            return known
        now = self._clock()
        try:
            account = self._api.call("users.info", user=user)["user"]
        except Denied:
            account = {}
        return self._keep(user, account, stamp, now)

    def _kept(self, user: str, stamp: str, oldest: float) -> _Told | None:
        """None where it is that old or older, or something has changed."""
        with self._lock:
            known = self._known.get(user)
        return known if known is not None and known.stamp == stamp and known.since > oldest else None

    def _keep(self, user: str, account: Mapping[str, Any], stamp: str, now: float) -> _Told:
        tag = tag_of(account, str(self._api.me["team_id"]), self._mapped)
        told = _Told(tag, account.get("is_bot") is True, name_of(account), stamp, now)
        with self._lock:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            known = self._known.get(user)
            if known is None or known.since <= now:     # a look that began later has the last word
                self._known[user] = told
        return told

    @property
    def mapped(self) -> Mapping[str, str]:
        """Slack user id → access tag, as the settings have it."""
        return self._mapped

    def reads_as(self, user: str) -> str | None:
        """As `tag`, of one of whom Slack does not tell, for a reason that is not known, PUBLIC."""
        return next(self.tags([user]))[1]

    def rights(self, voter: str) -> str | None:
        """Whose rights somebody has of that name, which `voter` gave. None: nobody's. Raises SurfaceDown."""
        account = account_of(voter)
        return self.reads_as(account) if account else voter

    def is_known(self, user: str) -> bool:
        """Whether Slack surely tells whom it stands for; no where it does not tell. Raises SurfaceDown."""
        return self.reads_as(user) not in (None, PUBLIC)

    def asker(self, user: str) -> str:
        """As `voter`; where Slack does not tell of that account, for a reason that is not known, its own name: no
        question is lost for that, and what answers it is for anybody. Raises SurfaceDown."""
        return self._named(user, self.reads_as(user))

    def voter(self, user: str) -> str:
        """A name of its own for each account: votes of people that nobody knows are votes of several people."""
        return self._named(user, self.tag(user))

    def _named(self, user: str, tag: str | None) -> str:
        return tag if tag is not None and tag.startswith("user:") else f"user:slack.{self._api.me['team_id']}.{user}"


def tag_of(user: Mapping[str, Any], team: str, mapped: Mapping[str, str]) -> str | None:
    """By what Slack says of the account. Whatever it does not say counts against the account."""
    if user.get("deleted") is True and user.get("team_id") == team:
        return None
    if user.get("team_id") != team or user.get("is_stranger"):
        return PUBLIC
    if user.get("is_restricted") is not False or user.get("is_ultra_restricted") is not False:
        return PUBLIC
    if str(user.get("id")) in mapped:
        return mapped[str(user["id"])]
    if user.get("is_bot") is not False or user.get("is_email_confirmed") is not True:
        return PUBLIC
    try:
        return parse_tag(f"user:{(user.get('profile') or {}).get('email') or ''}")
    except BadAccess:
        return PUBLIC


def account_of(voter: str) -> str:
    """The account that has no other name; empty for a person's."""
    found = _VOTER.fullmatch(voter)
    return found[1].upper() if found else ""


def name_of(user: Mapping[str, Any]) -> str:
    """In at most 80 signs that can be seen."""
    told = str((user.get("profile") or {}).get("real_name") or user.get("name") or "")
    return "".join(sign for sign in told if sign.isprintable()).strip()[:80].strip() or SOMEBODY


def _mapped(user: str, tag: str) -> str:
    try:
        return parse_tag(tag)
    except BadAccess as error:
        raise Usage(f"VOUCH_SLACK__PEOPLE: {user}: {error.cause}", cure=error.cure) from error
