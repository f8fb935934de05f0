"""Questions of Slack in the ledger: what becomes of what people say, change, and ask again."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bots.slack.questions import Asked, How
from consumers.process import now
from vouch.adapters.ledger import ChangedQuestion, Ledger, NewNotice
from vouch.answering.answer import REMOVED
from vouch.errors import NotFound
from vouch.filters import Filters


@dataclass(frozen=True)
class SlackQuestions:
    """Implements hearing's Known. Threads may share it. `wake` has what waits to be told told at once."""

    ledger: Ledger
    wake: Callable[[], object] = lambda: None

    def is_done(self, question_id: str) -> bool:
        return self.ledger.answers.answered(question_id)

    def has_failed(self, question_id: str) -> bool:
        """Nobody has its answer: something went wrong, or it could not be posted."""
        if self.ledger.outbox.has_failed(question_id):
            return True
        answer = self.ledger.answers.by_question(question_id) or {}
        return answer.get("action") == "declined" and not answer.get("index_version")

    def refuse(self, question_id: str, told: NewNotice) -> None:
        self.ledger.changed.take_back(question_id, now(), told)
        self.wake()

    def tell(self, told: NewNotice) -> None:
        self.ledger.notices.add(told.id, told.kind, told.body, now())
        self.wake()

    def change(self, question_id: str, text: str | None, how: How, at: datetime, told: NewNotice | None = None) -> bool:
        if text is None and self.ledger.changed.take_back(question_id, now(), told):
            self.wake()
            return True                 # at once: whoever answers it now comes too late to record that
        return self.ledger.changed.put(ChangedQuestion(question_id, text, at, how.filters, how.steps), now())

    def with_human(self, thread: str) -> bool:
        return self.ledger.handoffs.under_way(thread)

    def taken_back(self, question_id: str) -> bool:
        """Before a worker has seen it, or since: then it is done with, and has no answer."""
        if self.is_done(question_id):
            return self.ledger.answers.by_question(question_id) is None
        changed = self.ledger.changed.find(question_id)
        return changed is not None and changed.text is None

    def is_over(self, question_id: str) -> bool:
        """Nothing more is done about it: its answer was sent, or given up, or it was taken back."""
        return self.ledger.outbox.is_over(question_id) or self.taken_back(question_id)

    def of_answer(self, answer_id: str) -> Asked:
        """As it was understood. Raises NotFound for an answer that is not there, or that a purge has emptied."""
        answer, sent = self.ledger.answers.get(answer_id), self.ledger.asked_by.find(answer_id)
        if answer.get("reason") == REMOVED:
            raise NotFound("this answer was removed", cure="ask the question again")
        text = str(answer["question"]) if sent is None else self.ledger.threads.stands_for(sent)
        filters = Filters.model_validate(answer.get("filters") or {})
        how = How(filters, None if sent is None else sent.question.steps)
        # As it was understood it may hold words of earlier questions, which were perhaps not said to vouch.
        outside = sent is not None and sent.question.outside and not answer.get("understood_as")
        asker = self.ledger.asked_by.asker(str(answer["question_id"]))
        return Asked(str(answer["question_id"]), text, how, outside, asker)
