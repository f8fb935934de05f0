"""What whoever asked is told, alone, about a question or an answer of theirs."""

from collections.abc import Mapping
from dataclasses import dataclass

from bots.slack.answers.afterwards import MORE_ALONE, NOT_POSTED, not_posted, tell_asker
from bots.slack.ephemeral import TOLD_ALONE, show
from bots.slack.notices.posting import Post
from bots.slack.notices.sending import NoticeSender
from bots.slack.place import read_place
from vouch.adapters.ledger import Ledger, Notice


@dataclass(frozen=True)
class AskerNotices:
    sender: NoticeSender
    ledger: Ledger

    def kinds(self) -> Mapping[str, Post]:
        return {MORE_ALONE: self._more_alone, NOT_POSTED: self._not_posted, TOLD_ALONE: self._told_alone}

    def _more_alone(self, notice: Notice) -> bool:
        sent = self.ledger.asked_by.find(notice.body["answer_id"])
        if sent is None:
            return False
        place = read_place(sent.question.thread or "")
        return tell_asker(self.sender.api, place, sent.question, sent.body)

    def _not_posted(self, notice: Notice) -> bool:
        told = (str(notice.body[name]) for name in ("question_id", "answer_id", "why"))
        return self.sender.to_people(notice, self.sender.accounts.askers(notice.body["asker"]), *not_posted(*told))

    def _told_alone(self, notice: Notice) -> bool:
        """Where nobody else reads, it is known there whether it was told."""
        about, thread, user, text = (str(notice.body[name]) for name in ("question_id", "thread", "user", "text"))
        place = read_place(thread)
        if place.channel.startswith("D"):
            self.sender.to_thread(notice, place, None, text)
        else:
            show(self.sender.api, place, about, user, text)
        return True
