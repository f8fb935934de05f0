"""From a message to the corrective loop and back: audiences are looked up here, each time anew."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from consumers.questions.follow_ups import Earlier, FollowUps, Gone, Last
from vouch.access import PUBLIC, Audience, Directory
from vouch.adapters.ledger import EarlierQuestion
from vouch.answering.answer import Answer
from vouch.answering.small_talk import small_talk
from vouch.answering.spending import spent_on_answer
from vouch.correction.components import Components
from vouch.correction.compose import decline, reply
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.planning.limits import Limits
from vouch.correction.progress import Listener
from vouch.errors import Damaged, IndexDown, NotFound, Usage, VouchError
from vouch.messages import AudienceRef, ConversationAudience, QuestionAsked
from vouch.plurals import count
from vouch.ports.index import Index
from vouch.ports.stores import PermissionStore
from vouch.ports.surface import Conversations
from vouch.retrieval.question.follow_up import Lack, lack_of
from vouch.values.question import Question

Rank = tuple[bool, bool, float]


def worth(outcome: Outcome) -> Rank:
    """Of two answers to one question the better one has more of it."""
    action = outcome.answer.action
    return action == "answered", action == "answered_with_caution", outcome.answer.confidence.value


def left_of(limits: Limits, answer: Answer) -> Limits:
    """What a run of steps leaves of what a question may cost. What it leaves for the web tells of no document."""
    inside = [step for step in answer.steps if step.tool != "web"]
    outside = [step for step in answer.steps if step.tool == "web"]
    spent_ms = answer.timings_ms.get("steps", 0.0)      # with the orders, which a model may take long for
    return replace(
        limits, taken=len(inside), web_taken=len(outside), seconds=max(0.0, limits.seconds - spent_ms / 1000),
        searches=max(0, limits.searches - sum(step.tool == "rag" for step in inside)),
        web_seconds=max(0.0, limits.web_seconds - sum(step.ms for step in outside) / 1000),
    )  # fmt: skip


def better_of(alone: Outcome, whole: Outcome) -> Outcome:
    """The question as it stands, or as a follow-up. Steps for the other one are told, as they took of what both may
    cost; their number depends on what that one was made from."""
    best = max(alone, whole, key=worth)
    other = whole if best is alone else alone
    if not (taken := len(other.answer.steps)):
        return best
    how = "as a follow-up" if other is whole else "as it stands"
    note = f"{count(taken, 'further step')} went to the question {how}, which is not what this answers"
    told: Answer = best.answer.model_copy(update={"warnings": [*best.answer.warnings, note]})
    return replace(best, answer=told, given=tuple(dict.fromkeys([*best.given, *other.given])))


def told_of_more(outcome: Outcome, question: Question, asker: Callable[[], Audience], c: Components) -> Outcome:
    """The same, marked if a better answer stands in what its asker may read and the others may not.

    That is looked up without a language model and without the web, and nothing of it is kept. Where it
    cannot be told it is a no: an answer that is made does not depend on it.
    """
    try:
        more = _more(outcome, question, asker, c)
    except VouchError:
        more = False
    if not more:
        return outcome
    marked: Answer = outcome.answer.model_copy(update={"asker_may_read_more": True})
    return replace(outcome, answer=marked)


def _more(outcome: Outcome, question: Question, asker: Callable[[], Audience], c: Components) -> bool:
    if outcome.answer.action == "replied" or question.audience.readers == asker().readers:
        return False
    if outcome.answer.searched_as and not c.index.visible(asker(), outcome.given).issuperset(outcome.given):
        return False                    # it may hold titles of these
    alone = replace(question, audience=asker(), resolve=asker, outside=False,
                    understood_as=outcome.answer.understood_as, searched_as=outcome.answer.searched_as)
    quick = replace(c, writer=c.fallback, outside=None, swap_rate=0.0)
    found = answer_question(alone, quick)
    if worth(found) <= worth(outcome):
        return False
    cited = {one.chunk_id for one in found.answer.citations}
    return not c.index.visible(question.audience, sorted(cited)).issuperset(cited)


@dataclass(frozen=True)
class _Looks:
    """Looks up who reads along, and notes what they may read."""

    look: Callable[[], Audience]
    digests: set[str]

    def __call__(self) -> Audience:
        found = self.look()
        self.digests.add(found.digest)
        return found

    def mark(self, outcome: Outcome) -> Outcome:
        """Its answer says for whom it was made, if these were the same from the beginning to the end."""
        if len(self.digests) != 1:
            return outcome
        marked: Answer = outcome.answer.model_copy(update={"made_for": min(self.digests)})
        return replace(outcome, answer=marked)


_SPARE_S = 3.0                          # of a question's time, to quote in where no language model has answered


def _alone(_: QuestionAsked) -> Sequence[EarlierQuestion]:
    """Nothing was asked before."""
    return ()


def _anew(_: QuestionAsked) -> None:
    """It goes on from nothing."""


def _own(message: QuestionAsked) -> str | None:
    return message.asker


def _stays(_: QuestionAsked) -> bool:
    """What was asked is not gone."""
    return False


def _nobody(_: QuestionAsked) -> None:
    """Nobody waits in this process."""


@dataclass(frozen=True)
class Answerer:
    """`components` loads the models at its first call; `conversations`, by surface, tell who reads along there."""

    permissions: PermissionStore
    index: Index
    components: Callable[[], Components]
    clock: Callable[[], datetime]
    conversations: Mapping[str, Conversations] = field(default_factory=dict)
    listen: Callable[[QuestionAsked], Listener | None] = _nobody    # who is told how far a question is
    earlier: Earlier = _alone           # of its thread, newest first
    last: Last = _anew                  # of its conversation, where it begins a thread
    rights: Callable[[QuestionAsked], str | None] = _own    # whose the asker has, as an access tag
    is_gone: Gone = _stays              # whether its words were deleted or changed where they were said

    def answer(self, message: QuestionAsked) -> Outcome:
        """All that language models do for it ends with the question's deadline."""
        seconds = None if message.deadline is None else (message.deadline - self.clock()).total_seconds() - _SPARE_S
        with spent_on_answer(None if seconds is None else max(0.0, seconds)):
            return self._answered(message)

    def _answered(self, message: QuestionAsked) -> Outcome:
        question = self._question(message)
        if (response := small_talk(message.text)) is not None:
            return Outcome(reply(question, response, self.clock()), [], ())
        components = self.components()
        if message.steps is None and components.steps.by_default:
            question = replace(question, steps=components.steps.by_default, steps_by_default=True)
        with _index_may_be_down():
            if not isinstance(message.audience, ConversationAudience):
                return self._answer(question, message, components)
            looks = _Looks(question.current_audience, {question.audience.digest})
            question = replace(question, resolve=looks)
            outcome = looks.mark(self._answer(question, message, components))
            with spent_on_answer(allowed=False):
                return told_of_more(outcome, question, lambda: self._of_asker(message), components)

    def _answer(self, question: Question, message: QuestionAsked, components: Components) -> Outcome:
        """What may be a follow-up is also asked as one, unless it has a sure answer as it stands."""
        listener = self.listen(message)
        outcome = self._outcome(question, message, components, listener)
        if listener is not None:
            listener.over()
        return outcome

    def _outcome(
        self, question: Question, message: QuestionAsked, components: Components, listener: Listener | None
    ) -> Outcome:
        lacks = lack_of(message.text, components.analyser)
        follow_ups = FollowUps(self.index, self.earlier, self.last, self.is_gone)
        if lacks is Lack.NOTHING:
            return answer_question(question, components, listener)
        if lacks is Lack.EARLIER:
            return answer_question(follow_ups.understood(question, message, components), components, listener)
        alone = answer_question(question, components, listener)
        if alone.answer.action == "answered":
            return alone
        whole = follow_ups.understood(question, message, components)
        if whole is question:
            return alone
        if not whole.steps:
            return max(alone, answer_question(whole, components, listener), key=worth)
        left = replace(components, steps=left_of(components.steps, alone.answer))
        return better_of(alone, answer_question(whole, left, listener))

    def decline(self, message: QuestionAsked, reason: str) -> Answer:
        """An honest answer without evidence, made without any model, and whoever may read it."""
        nobody_special = Directory().audience([PUBLIC], self.clock())
        question = Question(message.id, message.text, nobody_special, message.asked_at, filters=message.filters)
        return decline(question, reason, self.clock(), text=reason)

    def still_visible(self, audience: AudienceRef, chunk_ids: Sequence[str]) -> bool:
        """By who reads along at this moment."""
        with _index_may_be_down():
            return self.index.visible(self._audience(audience, anew=True), chunk_ids).issuperset(chunk_ids)

    def _question(self, message: QuestionAsked) -> Question:
        return Question(
            message.id, message.text, self._audience(message.audience, anew=True), message.asked_at,
            resolve=lambda: self._audience(message.audience), surface=message.surface,
            outside=message.outside and not message.filters, filters=message.filters, steps=message.steps or 0,
        )

    def _audience(self, reference: AudienceRef, *, anew: bool = False) -> Audience:
        tags = self._readers(reference, anew) if isinstance(reference, ConversationAudience) else reference.tags
        return self._of_tags(tags)

    def _of_asker(self, message: QuestionAsked) -> Audience:
        return self._of_tags((self.rights(message) or PUBLIC,))

    def _of_tags(self, tags: Sequence[str]) -> Audience:
        return self.permissions.permissions().directory.audience(list(tags), self.clock())

    def _readers(self, reference: ConversationAudience, anew: bool) -> tuple[str, ...]:
        surface = self.conversations.get(reference.surface)
        if surface is None:
            raise Usage(f"this process cannot tell who reads along on {reference.surface:.60}",
                        cure="give worker and sender the settings of that surface")
        return surface.readers(reference.conversation, anew=anew)


@contextmanager
def _index_may_be_down() -> Iterator[None]:
    """No index yet, or no sound version of it, is no fault of a question: it waits until there is one."""
    try:
        yield
    except (Damaged, NotFound) as error:
        raise IndexDown(error.cause, cure=error.cure) from error
