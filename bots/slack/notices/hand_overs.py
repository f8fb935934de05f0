"""What is told of a question that was handed over: in its thread, to owners alone, and drafts of documents."""

from collections.abc import Mapping
from dataclasses import dataclass

from bots.slack.api import OddRefusal
from bots.slack.handoff.alone import Alone, is_alone
from bots.slack.handoff.owners import Owners, cited_documents
from bots.slack.handoff.views import (
    asked_alone_message,
    draft_message,
    opened_message,
    resolved_message,
    taken_message,
)
from bots.slack.identity.accounts import Accounts, Found
from bots.slack.notices.posting import Post
from bots.slack.notices.sending import NoticeSender
from bots.slack.place import read_place
from vouch.adapters.ledger import Draft, Ledger, Notice
from vouch.adapters.ledger.handoffs import WAITING, Handoff
from vouch.answering.answer import REMOVED
from vouch.plurals import count


@dataclass(frozen=True)
class HandOverNotices:
    sender: NoticeSender
    ledger: Ledger
    accounts: Accounts
    owners: Owners
    alone: Alone

    def kinds(self) -> Mapping[str, Post]:
        return {"opened": self._opened, "taken": self._taken, "resolved": self._resolved, "draft": self._draft}

    def _opened(self, notice: Notice) -> bool:
        handoff = self._handoff(notice)
        if is_alone(handoff.conversation):
            return self._asked_alone(notice, handoff)
        sent = self.ledger.asked_by.find(handoff.answer_id)
        documents = cited_documents(sent.body) if sent is not None else []
        message = opened_message(handoff.answer_id, self.owners.reading(handoff.conversation, documents),
                                 self._name(handoff.opened_by))
        self.sender.to_thread(notice, read_place(handoff.thread), *message)
        return True

    def _asked_alone(self, notice: Notice, handoff: Handoff) -> bool:
        """To the owners of when it was first tried; the question as it is kept now."""
        sent = self.ledger.asked_by.find(handoff.answer_id)
        if sent is None or sent.question.text == REMOVED or self.ledger.changed.is_gone(sent.question):
            return False
        if self.alone.still.is_gone(sent.question, untold=False):
            return False
        told = asked_alone_message(handoff.answer_id, self._name(sent.question.asker), sent.question.text)
        return self.sender.to_people(notice, Found(self.alone.sent_to(handoff, sent)), *told)

    def _taken(self, notice: Notice) -> bool:
        handoff = self._handoff(notice)
        message = taken_message(notice.body["name"], self._asked(handoff))
        self.sender.to_thread(notice, read_place(handoff.thread), *message)
        return True

    def _resolved(self, notice: Notice) -> bool:
        handoff = self._handoff(notice)
        message = resolved_message(notice.body["name"], handoff.words, self._asked(handoff))
        self.sender.to_thread(notice, read_place(handoff.thread), *message)
        return True

    def _handoff(self, notice: Notice) -> Handoff:
        return self.ledger.handoffs.get(notice.body["answer_id"])

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
        message = draft_message(draft.id, draft.question, draft.text, _who(draft.by),
                                count(len(draft.access), "person", "people"), draft.expires_at)
        return self.sender.to_people(notice, self._who_decides(draft), *message)

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


def _who(tag: str) -> str:
    return tag.partition(":")[2]
