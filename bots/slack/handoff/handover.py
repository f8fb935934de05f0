"""Somebody wants a human, somebody takes it, somebody answers, an owner decides. What each press does is in the ledger
before Slack is told that it arrived; messages about it follow."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bots.slack.handoff.alone import Alone, is_alone
from bots.slack.handoff.owners import Owners, cited_documents
from bots.slack.handoff.views import LONGEST_QUESTION, shown_whole
from bots.slack.identity.accounts import Accounts
from bots.slack.identity.channel_members import SlackConversations
from bots.slack.identity.people import People
from vouch.adapters.ledger import Draft, Ledger, SentAnswer
from vouch.adapters.ledger.handoffs import APPROVED, REFUSED, RESOLVED, WAITING, Handoff, draft_id
from vouch.answering.answer import REMOVED
from vouch.documents.text.legible import legible
from vouch.errors import Guarded, NotFound, Usage

GONE = "This answer is no longer kept. Please ask the question again."
NOBODY_HERE = ("Nobody who is set to look after this reads along here. Invite them, ask in a channel that they are in,"
               " or ask whoever runs vouch.")    # also where nobody is set: else it tells which groups there are
_ELSEWHERE = "This works only for members of the conversation whom vouch knows."
_NOT_KEPT = ("It is posted, and not kept: not all who read along there are surely known, so nobody can say who may read"
             " it later; the question was deleted or changed; or an owner could not see all of it, as it is too long or"
             " has no letter that shows.")
UNKNOWN = "Slack does not tell me who you are, or who reads along here, so nothing was done. Try again in a while."
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Handover:
    """Each returns what the person who pressed is told, alone; nothing where all see what was done.

    `decided` decides about a draft, by its id, as an owner, and has its document come or go.
    """

    ledger: Ledger
    people: People
    accounts: Accounts
    conversations: SlackConversations
    owners: Owners
    decided: Callable[[str, str, str], Draft]
    clock: Callable[[], datetime]
    per_hour: int
    alone: Alone

    def hand_over(self, user: str, conversation: str, answer_id: str) -> str:
        """One hand-over an answer, and one at a time in a thread, whoever presses how often."""
        sent = self._answer(answer_id, conversation)
        if sent is None:
            return GONE
        if not self.conversations.has(conversation, user):
            return _ELSEWHERE
        documents = cited_documents(sent.body)
        if not self.owners.reading(conversation, documents):
            return NOBODY_HERE
        try:
            handoff, new = self.ledger.handoffs.open(
                sent.body["id"], conversation, sent.question.thread or conversation, self.people.asker(user),
                self.clock(), self.per_hour,
            )
        except Guarded as error:
            return f"{error.cause}; {error.cure}."
        if new:
            _log.info("slack: handed over: answer %s", handoff.answer_id)
            return ""
        done = handoff.state == RESOLVED
        return "A human has answered this already." if done else "A human has been asked in this thread already."

    def need_alone(self, user: str, answer_id: str) -> str:
        """Where one person alone reads: the question goes to owners as direct messages, once the person agreed."""
        return self.alone.open(user, answer_id, self.clock(), self.per_hour)

    def take(self, user: str, conversation: str, answer_id: str) -> str:
        tag = self._actor(user, self._known(answer_id, conversation, user))
        if tag is None:
            return _ELSEWHERE
        if self.ledger.handoffs.take(answer_id, tag, self.accounts.name(user), self.clock()):
            return ""
        return "Somebody has taken or resolved this already."

    def may_resolve(self, user: str, conversation: str, answer_id: str) -> str:
        """Why not; empty if so."""
        found = self._known(answer_id, conversation, user)
        if found.state == RESOLVED:
            return "This is resolved already."
        return "" if self._actor(user, found) else _ELSEWHERE

    def may_be_kept(self, answer_id: str) -> bool:
        """Whether a human's answer may become a document: of what one person asked alone it never does."""
        return not is_alone(self.ledger.handoffs.get(answer_id).conversation)

    def resolve(self, user: str, answer_id: str, words: str, days: int) -> str:
        """The words are posted; who read along in this moment may read the document that they may become."""
        handoff = self.ledger.handoffs.get(answer_id)
        tag = self._actor(user, handoff)
        if tag is None:
            return _ELSEWHERE
        now = self.clock()
        days = days if self.may_be_kept(answer_id) else 0
        draft = self._draft(handoff, tag, words, now, days) if words and days else None
        if not self.ledger.drafts.resolve(answer_id, tag, self.accounts.name(user), words or None, draft, now):
            return "This is resolved already."
        if draft is None and words and days:
            return _NOT_KEPT
        return ""

    def decide(self, user: str, draft: str, state: str) -> str:
        """Only an owner who read along may: to anybody else the draft does not exist."""
        try:
            stored_draft = self.ledger.drafts.get(draft)
        except (NotFound, Usage):
            return "There is no such draft for you to decide about."
        if not self.may_decide(user, stored_draft):
            return "There is no such draft for you to decide about."
        tag = self.people.tag(user)
        assert tag is not None
        try:
            done = self.decided(stored_draft.id, state, tag)
        except (Usage, Guarded) as error:
            return f"{error.cause}."
        return _DECIDED[done.state].format(day=done.expires_at.date().isoformat())

    def decision(self, user: str, draft: str) -> tuple[str, bool]:
        """Who decided what, and when; nothing for whom the draft does not exist, or while it waits. And whether it
        counts now."""
        try:
            found = self.ledger.drafts.get(draft)
        except (NotFound, Usage):
            return "", False
        if found.decided_at is None or not self.may_decide(user, found):
            return "", False
        by = f" by {found.decided_by.removeprefix('user:')}" if found.decided_by else ""
        until = f", until {found.expires_at.date().isoformat()}" if found.state == APPROVED else ""
        return f"{found.state.capitalize()}{by} on {found.decided_at.date().isoformat()}{until}", bool(until)

    def may_decide(self, user: str, draft: Draft) -> bool:
        """Whether this account is an owner's, and its person may read the draft and did not write it."""
        tag = self.people.tag(user)
        return tag in draft.access and tag != draft.by and user in self.owners.deciding(draft.documents)

    def _draft(self, found: Handoff, by: str, words: str, now: datetime, days: int) -> Draft | None:
        """Of words and question it has what an owner can see, and no other letter."""
        readers, words = self.conversations.named_readers(found.conversation), legible(words)
        sent = self.ledger.asked_by.find(found.answer_id)
        if readers is None or sent is None or by not in readers or not shown_whole(words):
            return None
        asked, words_of = self.ledger.threads.stands_for(sent.question, sent.body)
        if asked == REMOVED or any(self.alone.still.is_gone(one, untold=True) for one in words_of):
            return None
        return Draft(
            draft_id(found.answer_id), found.answer_id, found.conversation, tuple(cited_documents(sent.body)),
            legible(asked)[:LONGEST_QUESTION], words, readers, WAITING,
            by, now, now + timedelta(days=days),
        )

    def _actor(self, user: str, found: Handoff) -> str | None:
        """The tag of a person who may take and resolve it."""
        if not is_alone(found.conversation):
            return self._reader(user, found.conversation)
        return self.people.tag(user) if self.alone.may_act(user, found) else None

    def _reader(self, user: str, conversation: str) -> str | None:
        """The tag of a person who is surely known and a member."""
        tag = self.people.tag(user)
        member = tag is not None and tag.startswith("user:") and self.conversations.has(conversation, user)
        return tag if member else None

    def _answer(self, answer_id: str, conversation: str) -> SentAnswer | None:
        """Only where it was posted: an id from elsewhere is none."""
        sent = self.ledger.asked_by.find(answer_id)
        audience = sent.question.audience if sent is not None else None
        here = audience is not None and audience.kind == "conversation" and audience.conversation == conversation
        return sent if here else None

    def _known(self, answer_id: str, conversation: str, user: str) -> Handoff:
        """To whom it was neither sent nor shown, it does not exist."""
        found = self.ledger.handoffs.get(answer_id)
        sent = is_alone(found.conversation) and self.alone.may_act(user, found)
        if found.conversation != conversation and not sent:
            raise NotFound("nobody has asked for a human there")
        return found


_DECIDED = {
    APPROVED: "Approved: it counts soon, until {day}.",
    REFUSED: "Refused: it is not used.",
}


