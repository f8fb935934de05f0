"""Sends a notice to a thread or to people: once to each, known in Slack by its metadata."""

import logging
import time
from dataclasses import dataclass
from typing import Any

from bots.slack.answers.source_list import Block
from bots.slack.api import NotTaken, OddRefusal, SlackApi
from bots.slack.identity.accounts import Accounts, Found
from bots.slack.place import Place
from vouch.adapters.ledger import Notice
from vouch.errors import Denied

EVENT = "vouch_notice"
_log = logging.getLogger(__name__)
_Target = tuple[str, str]               # a channel, and a thread in it


@dataclass(frozen=True)
class NoticeSender:
    api: SlackApi
    accounts: Accounts

    def to_thread(self, notice: Notice, place: Place, blocks: list[Block] | None, text: str) -> None:
        self._once(notice, notice.id, (place.channel, place.thread_ts), blocks, text)

    def to_people(self, notice: Notice, users: Found, blocks: list[Block], text: str) -> bool:
        """Whether anybody was told. Raises NotTaken or OddRefusal if somebody has yet to be."""
        anybody = False
        refused: NotTaken | OddRefusal | None = users.untold
        for user in users:                      # one who cannot be written to keeps nobody else from being told
            try:
                self._once(notice, f"{notice.id}.{user}", (self.accounts.direct(user), ""), blocks, text)
                anybody = True
            except Denied as error:
                _log.warning("slack: account %s is not told: %s", user, error)
            except (NotTaken, OddRefusal) as error:
                _log.warning("slack: account %s is not told now: %s", user, error)
                refused = error
        if refused:
            raise refused                       # tried again; those who were told are looked up then
        return anybody

    def _once(self, notice: Notice, name: str, target: _Target, blocks: list[Block] | None, text: str) -> None:
        channel, thread = target
        if notice.tries and self._is_there(name, target):
            return
        self.api.call(
            "chat.postMessage", channel=channel, thread_ts=thread or None, blocks=blocks, text=text,
            metadata={"event_type": EVENT, "event_payload": {"notice": name}},
            parse="none", link_names=False, unfurl_links=False, unfurl_media=False,
        )  # fmt: skip

    def _is_there(self, name: str, target: _Target) -> bool:
        """Looks through what was posted there: in the thread, or in the last seven days."""
        channel, thread = target
        look: dict[str, Any] = {"channel": channel, "limit": 200, "include_all_metadata": True}
        method = "conversations.history"
        if thread:
            method, look = "conversations.replies", look | {"ts": thread}
        else:
            look["oldest"] = f"{time.time() - 7 * 86_400:.6f}"
        return any(_name(one) == name and one.get("user") == self.api.me["user_id"]
                   for one in self.api.pages(method, "messages", **look))


def _name(posted: Any) -> str:
    metadata = posted.get("metadata") or {}
    return str((metadata.get("event_payload") or {}).get("notice", "")) if metadata.get("event_type") == EVENT else ""
