"""Questions of Slack in the ledger: what becomes of what people say, change, and ask again."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bots.slack.questions import Asked, How
from consumers.process import now
from vouch.adapters.ledger import ChangedQuestion, Ledger, NewNotice
from vouch.answering.answer import REMOVED
from vouch.errors import NotFound
from vouch.filters import Filters

_HUMAN_FOR = timedelta(days=1)


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

    def was_declined(self, question_id: str, but_to: str) -> bool:
        """`but_to`: who may not have asked it, by the name that votes have; empty for nobody."""
        if (self.ledger.answers.by_question(question_id) or {}).get("action") != "declined":
            return False
        asked = self.ledger.asked_by.question(question_id) if but_to else None
        return asked is None or asked.asker != but_to

    def refuse(self, question_id: str, told: NewNotice) -> None:
        self.ledger.changed.take_back(question_id, now(), told)
        self.wake()

    def tell(self, told: NewNotice) -> None:
        self.ledger.notices.add(told.id, told.kind, told.body, now())
        self.wake()

    def change(self, question_id: str, text: str | None, how: How, at: datetime, told: NewNotice | None = None) -> bool:
        changed = self.ledger.changed.put(ChangedQuestion(question_id, text, at, how.filters, how.steps), now(), told)
        if changed and told is not None:
            self.wake()
        return changed

    def with_human(self, thread: str, person: str) -> bool:
        return self.ledger.handoffs.has_part(thread, person, now() - _HUMAN_FOR)

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
        answer = self.ledger.answers.get(answer_id)
        question = self.ledger.asked_by.question(str(answer["question_id"]))
        if answer.get("reason") == REMOVED or question is None:
            raise NotFound("this answer was removed", cure="ask the question again")
        text, words_of = self.ledger.threads.stands_for(question, answer)
        filters = Filters.model_validate(answer.get("filters") or {})
        # As it was understood it may hold words of earlier questions, which were perhaps not said to vouch.
        outside = question.outside and not answer.get("understood_as")
        return Asked(question.id, text, How(filters, question.steps), outside, question.asker, words_of)
