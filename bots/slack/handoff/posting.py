"""Posts what waits in the ledger: each message once, known in Slack by its metadata."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bots.slack.answers.afterwards import not_posted, tell_asker
from bots.slack.api import ChannelDown, NotTaken, OddRefusal, SlackApi, refused_for, told
from bots.slack.ephemeral import show
from bots.slack.escaping import markdown, plain
from bots.slack.handoff.alone import Alone, is_alone
from bots.slack.handoff.owners import Owners, cited_documents
from bots.slack.handoff.views import (
    Block,
    asked_alone_message,
    draft_message,
    opened_message,
    resolved_message,
    taken_message,
)
from bots.slack.identity.accounts import Accounts, Found
from bots.slack.place import read_place
from vouch.adapters.ledger import Draft, Ledger, Notice
from vouch.adapters.ledger.handoffs import WAITING, Handoff
from vouch.adapters.ledger.notices import DROPPED, POSTED
from vouch.answering.answer import REMOVED
from vouch.errors import BadInput, Denied, NotFound, Unavailable
from vouch.plurals import count

EVENT = "vouch_notice"
_AGAIN = timedelta(seconds=5)
_MOST_TRIES = 200                       # some days, at the longest pause
_MOST_REFUSED = 20                      # some hours: in words that are not known, Slack says that it does not
_LONGEST = timedelta(minutes=30)
_log = logging.getLogger(__name__)
Target = tuple[str, str]                # a channel, and a thread in it


@dataclass(frozen=True)
class NoticePoster:
    """The ledger says what is due; whoever claims it posts it. Several bots may run at once.

    `readable` tells which of these documents, SOURCE:PATH, this access tag may read now.
    """

    api: SlackApi
    ledger: Ledger
    accounts: Accounts
    owners: Owners
    alone: Alone
    readable: Callable[[str, Collection[str]], Collection[str]]
    clock: Callable[[], datetime]
    refused: Counter[str] = field(default_factory=Counter[str])     # how often this process met that, of each notice

    def step(self) -> bool:
        """Posts one that is due; False if there is none. Raises LedgerDown."""
        notice = self.ledger.notices.claim(self.clock())
        if notice is None:
            return False
        try:
            self.ledger.notices.finish(notice.id, POSTED if self._post(notice) else DROPPED)
            self.refused.pop(notice.id, None)
        except NotTaken as error:
            self._later(notice, error)
        except (Denied, NotFound, BadInput) as error:
            _log.warning("slack: a message is given up: %s", error)
            self.ledger.notices.finish(notice.id, DROPPED)
        except Exception as error:                  # whatever is odd about one, the others are posted
            self._later(notice, error)
        return True

    def _later(self, notice: Notice, error: Exception) -> None:
        if isinstance(error, NotTaken | OddRefusal) and not isinstance(error, ChannelDown):
            self.refused[notice.id] += 1    # an outage before it does not count
        if self.refused[notice.id] >= _MOST_REFUSED or notice.tries >= _MOST_TRIES:
            self.refused.pop(notice.id, None)
            _log.warning("slack: a message is given up: %s: %s", notice.id, told(error))
            self.ledger.notices.finish(notice.id, DROPPED)
            return
        if not isinstance(error, Unavailable):
            _log.warning("slack: a message is tried again later: %s", told(error))
        asked = timedelta(seconds=refused_for(error) or 0.0)
        pause = min(_AGAIN * 2 ** min(notice.tries, 10), _LONGEST)
        self.ledger.notices.later(notice.id, self.clock() + max(asked, pause))

    def _post(self, notice: Notice) -> bool:
        """Whether anybody was told. Raises Unavailable while that is open, and whatever a row or a reply may cause."""
        match notice.kind:
            case "opened" | "taken" | "resolved":
                return self._in_thread(notice)
            case "draft":
                return self._draft(notice)
            case "digest":
                return self._digest(notice)
            case "rollback":
                return self._rollback(notice)
            case "more_alone":
                return self._more_alone(notice)
            case "not_posted":
                return self._not_posted(notice)
            case "told_alone":
                return self._told_alone(notice)
        raise BadInput("a message of a kind that this version does not know", cure="update vouch")

    def _in_thread(self, notice: Notice) -> bool:
        handoff = self.ledger.handoffs.get(notice.body["answer_id"])
        if notice.kind == "opened" and is_alone(handoff.conversation):
            return self._asked_alone(notice, handoff)
        place = read_place(handoff.thread)
        if notice.kind == "opened":
            sent = self.ledger.asked_by.find(handoff.answer_id)
            documents = cited_documents(sent.body) if sent is not None else []
            message = opened_message(handoff.answer_id, self.owners.reading(handoff.conversation, documents),
                                     self._name(handoff.opened_by))
        elif notice.kind == "taken":
            message = taken_message(notice.body["name"], self._asked(handoff))
        else:
            message = resolved_message(notice.body["name"], handoff.words, self._asked(handoff))
        self._once(notice, notice.id, (place.channel, place.thread_ts), *message)
        return True

    def _asked_alone(self, notice: Notice, handoff: Handoff) -> bool:
        """To the owners of when it was first tried; the question as it is kept now."""
        sent = self.ledger.asked_by.find(handoff.answer_id)
        if sent is None or sent.question.text == REMOVED or self.ledger.changed.is_gone(sent.question):
            return False
        if self.alone.still.is_gone(sent.question, untold=False):
            return False
        told = asked_alone_message(handoff.answer_id, self._name(sent.question.asker), sent.question.text)
        return self._to_people(notice, Found(self.alone.sent_to(handoff, sent)), *told)

    def _asked(self, handoff: Handoff) -> str:
        """The question that it is about, where one conversation may have several of one person."""
        sent = self.ledger.asked_by.find(handoff.answer_id) if is_alone(handoff.conversation) else None
        if sent is None or sent.question.text == REMOVED or self.ledger.changed.is_gone(sent.question):
            return ""
        return sent.question.text

    def _name(self, voter: str) -> str:
        try:
            return next((self.accounts.name(user) for user in self.accounts.askers(voter)), "Somebody")
        except OddRefusal:                      # whoever it is wants a human
            return "Somebody"

    def _draft(self, notice: Notice) -> bool:
        draft = self.ledger.drafts.get(notice.body["draft"])
        if draft.state != WAITING:
            return False
        return self._to_people(notice, self._who_decides(draft), *draft_message(
            draft.id, draft.question, draft.text, _who(draft.by), count(len(draft.access), "person", "people"),
            draft.expires_at,
        ))  # fmt: skip

    def _digest(self, notice: Notice) -> bool:
        """Without the lines about documents that its owner may not read any more."""
        owner, named = str(notice.body["owner"]), notice.body.get("named")
        if named is None:                   # of an earlier release, which does not say what it names
            return False
        lost = set(named) - set(self.readable(owner, named)) if named else set()
        hidden = tuple(f"• {document}: " for document in lost)
        kept = "\n".join(line for line in str(notice.body["text"]).split("\n") if not line.startswith(hidden))
        blocks: list[Block] = [{"type": "markdown", "text": markdown(kept, 11_500)[0] or "-"}]
        return self._to_people(notice, self.accounts.of([owner]), blocks, plain("Your daily digest"))

    def _rollback(self, notice: Notice) -> bool:
        words = f"vouch: a model was put back\n{notice.body['text']}"
        blocks: list[Block] = [{"type": "markdown", "text": markdown(words, 11_500)[0]}]
        return self._to_people(notice, self.accounts.of([str(notice.body["owner"])]), blocks,
                               plain("A model was put back"))

    def _more_alone(self, notice: Notice) -> bool:
        sent = self.ledger.asked_by.find(notice.body["answer_id"])
        if sent is None:
            return False
        place = read_place(sent.question.thread or "")
        return tell_asker(self.api, place, sent.question, sent.body)

    def _told_alone(self, notice: Notice) -> bool:
        """Where nobody else reads, it is known there whether it was told."""
        about, thread, user, text = (str(notice.body[name]) for name in ("question_id", "thread", "user", "text"))
        place = read_place(thread)
        if place.channel.startswith("D"):
            self._once(notice, notice.id, (place.channel, place.thread_ts), None, text)
        else:
            show(self.api, place, about, user, text)
        return True

    def _not_posted(self, notice: Notice) -> bool:
        told = (str(notice.body[name]) for name in ("question_id", "answer_id", "why"))
        return self._to_people(notice, self.accounts.askers(notice.body["asker"]), *not_posted(*told))

    def _who_decides(self, draft: Draft) -> Found:
        """Owners who may read the draft and did not write it: to the others not a word of it is shown."""
        tags = set(draft.access) - {draft.by}
        deciding = self.owners.deciding(draft.documents)
        found = Found()
        found.untold = deciding.untold
        for user in deciding:
            try:
                if self.accounts.tag(user) in tags:
                    found.append(user)
            except OddRefusal as error:         # of that account alone
                found.lacks(f"account {user}", error)
        return found

    def _to_people(self, notice: Notice, users: Found, blocks: list[Block], text: str) -> bool:
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

    def _once(self, notice: Notice, name: str, target: Target, blocks: list[Block] | None, text: str) -> None:
        channel, thread = target
        if notice.tries and self._is_there(name, target):
            return
        self.api.call(
            "chat.postMessage", channel=channel, thread_ts=thread or None, blocks=blocks, text=text,
            metadata={"event_type": EVENT, "event_payload": {"notice": name}},
            parse="none", link_names=False, unfurl_links=False, unfurl_media=False,
        )  # fmt: skip

    def _is_there(self, name: str, target: Target) -> bool:
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


def _who(tag: str) -> str:
    return tag.partition(":")[2]
