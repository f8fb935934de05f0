"""A question that one person asked alone, and wants a human for: whom it may be sent to, and nothing but the question.

The owners are those of documents near it that the asker may read now, or those of the settings: whom a document belongs
to that the asker may not read never shows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bots.slack.answers.still_said import StillSaid
from bots.slack.handoff.owners import MOST_TAGGED, Owners
from bots.slack.identity.accounts import Accounts
from bots.slack.identity.people import People
from bots.slack.place import read_place
from vouch.adapters.ledger import Ledger, SentAnswer
from vouch.adapters.ledger.handoffs import RESOLVED, Handoff
from vouch.answering.answer import REMOVED
from vouch.errors import Guarded

ASKED = "A human has been asked already."
NOBODY = "Nobody is set to look after vouch yet: ask whoever runs it."
_GONE_SINCE = "The message was deleted or changed since, so it goes to nobody. Please ask again."
_NOBODY_ELSE = "Nobody but you is known to look after this."
_RESOLVED = "A human has answered this already."

Near = Callable[[str, str, str], Sequence[str]]
"""Documents that were looked at for an answer, SOURCE:PATH, as far as its asker may read them now, the nearest first.

Of the name that the person asked under, the access tag that says what the person may read, and the answer's id.
"""


@dataclass(frozen=True)
class Alone:
    """Owners are looked up anew until the question is sent, which may raise Unavailable."""

    ledger: Ledger
    people: People
    accounts: Accounts
    owners: Owners
    near: Near
    still: StillSaid

    def owners_of(self, sent: SentAnswer) -> list[str]:
        """User ids of whom the question may be sent to."""
        askers = self.accounts.askers(sent.question.asker)
        rights = self.people.tag(askers[0]) if askers else None
        near = self.near(sent.question.asker, rights, str(sent.body["id"])) if rights else ()
        found = self.owners.of_documents(near) or self.owners.deciding(())
        return [user for user in found if user not in askers][:MOST_TAGGED]

    def offered(self, user: str, answer_id: str) -> tuple[SentAnswer | None, str]:
        """The person's own question, or why it cannot be sent. Quick: a window may open for three seconds only."""
        sent = self.ledger.asked_by.find(answer_id)
        mine = sent is not None and sent.question.asker == self.people.asker(user)
        if sent is None or not mine or sent.question.text == REMOVED or not _conversation(sent):
            return None, "This answer is no longer kept. Please ask the question again."
        if self.ledger.changed.is_gone(sent.question) or self.still.is_gone(sent.question, untold=False):
            return None, _GONE_SINCE
        return sent, ""

    def open(self, user: str, answer_id: str, at: datetime, per_hour: int) -> str:
        """What the person is told, who has agreed to it."""
        sent, why = self.offered(user, answer_id)
        if sent is None:
            return why
        set_for_all = self.owners.deciding(())              # quick, as Slack waits for three seconds
        if not {*set_for_all} - {user} and not self.owners_of(sent):
            return _NOBODY_ELSE if set_for_all else NOBODY
        conversation, thread = _conversation(sent), sent.question.thread or ""
        if not is_alone(thread):            # an ephemeral answer: what others there may not read goes nowhere near them
            thread = conversation
        try:
            handoff, new = self.ledger.handoffs.open(
                str(sent.body["id"]), conversation, thread, self.people.asker(user), at, per_hour,
                alone=True,
            )
        except Guarded as error:
            return f"{error.cause}; {error.cure}."
        if new:
            return "Sent. What comes of it is told in your direct messages with me."
        return _RESOLVED if handoff.state == RESOLVED else ASKED

    def sent_to(self, handoff: Handoff, sent: SentAnswer) -> Sequence[str]:
        """Whom the question goes to: who was an owner when it was first sent, whatever became of documents since."""
        return handoff.sent_to or self.ledger.handoffs.send_to(handoff.answer_id, self.owners_of(sent))

    def may_act(self, user: str, handoff: Handoff) -> bool:
        """Whether the question was sent to this account, of a person who is surely known."""
        tag = self.people.tag(user)
        return tag is not None and tag.startswith("user:") and user in self._has_it(handoff)

    def _has_it(self, handoff: Handoff) -> Sequence[str]:
        sent = None if handoff.sent_to else self.ledger.asked_by.find(handoff.answer_id)
        if sent is None:
            return handoff.sent_to or ()
        return self.owners_of(sent)         # sent by an earlier release, which did not keep to whom


def is_alone(place: str) -> bool:
    """Whether one person alone reads in this thread or conversation."""
    return read_place(place).channel.startswith("D")


def _conversation(sent: SentAnswer) -> str:
    """That the asker alone has with vouch, and that the answer was for; empty for an answer that others read."""
    audience = sent.question.audience
    if audience.kind != "conversation" or not is_alone(audience.conversation):
        return ""
    return audience.conversation
