"""Labels that nobody gave on purpose: from what an answer cites, from votes on it, and from what its asker did next.

A function of recorded rows, so that it can be repeated: the same answer,
votes and questions make the same labels. Only an answer that has reached its
readers makes any, and only passages that its writer was given get one: what
was found and not given is unknown, which is not the same as irrelevant.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from vouch.learning.labels.label import CONVERSATION, Label
from vouch.learning.labels.label_rules import LabelRules
from vouch.messages import AudienceRef, ConversationAudience, QuestionAsked

CITED, LIKED, CONTENT = 1, 2, 1         # relevance of what is cited, voted up, and where nobody asked on
_ANSWERED = ("answered", "answered_with_caution")
_NO_LABEL = "not_allowed"               # it says who may read, and nothing of what is relevant
Terms = Callable[[str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Given:
    """A passage that the writer was given; `number` is its place there, from 1."""

    chunk_id: str
    text_hash: str | None
    number: int | None
    cited: bool


@dataclass(frozen=True, slots=True)
class Ballot:
    person: str
    vote: str
    category: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with its answer's JSON, as recorded. `sent`: its readers have it."""

    question: QuestionAsked
    answer: Mapping[str, Any]
    made_at: datetime
    sent: bool
    given: tuple[Given, ...]
    votes: tuple[Ballot, ...]


def weak_labels(
    one: Answered, thread: Sequence[QuestionAsked], rules: LabelRules, terms: Terms, now: datetime
) -> list[Label]:
    """By chunk and source. `thread` holds all questions of its thread that are known, itself among them or not."""
    if not one.sent or one.answer["action"] not in _ANSWERED:
        return []
    later = sorted((q for q in thread if _follows(q, one.question)), key=_when)
    made = [*_from_citations(one, rules), *_from_votes(one, rules), *_from_behaviour(one, later, rules, terms, now)]
    return sorted((label for label in made if label.weight > 0), key=lambda label: label.key)


def rephrases(question: str, former: str, share: float, terms: Terms) -> bool:
    """Whether at least this share of the different terms of both questions together stands in both."""
    mine, theirs = set(terms(question)), set(terms(former))
    return bool(mine & theirs) and len(mine & theirs) >= share * len(mine | theirs)


def audience_tags(audience: AudienceRef) -> tuple[str, ...]:
    """Sorted. A conversation, whose readers change, is named by a tag that no reader has."""
    if isinstance(audience, ConversationAudience):
        return (f"{CONVERSATION}{audience.surface}:{audience.conversation}",)
    return tuple(sorted(set(audience.tags)))


def thread_of(question: QuestionAsked) -> tuple[str, str, str] | None:
    """What names its thread among those of all surfaces; None where the surface has no threads."""
    if question.thread is None:
        return None
    audience = question.audience
    where = audience.conversation if isinstance(audience, ConversationAudience) else ""
    return question.surface, where, question.thread


def _from_citations(one: Answered, rules: LabelRules) -> Iterator[Label]:
    sure = 1.0 if one.answer["action"] == "answered" else rules.caution
    for label, given in _blank(one, lambda given: True):
        relevance, weight = (CITED, rules.cited * sure) if given.cited else (0, rules.shown)
        yield label(relevance=relevance, source="cited", weight=weight, at=one.made_at)


def _from_votes(one: Answered, rules: LabelRules) -> Iterator[Label]:
    for vote in one.votes:
        if vote.category == _NO_LABEL:
            continue
        up = vote.vote == "up"
        weight = rules.up if up else rules.down.get(vote.category or "other", rules.down["other"])
        for label, _ in _blank(one, lambda given: given.cited):
            yield label(relevance=LIKED if up else 0, source="vote", weight=weight, at=vote.at, person=vote.person)


def _from_behaviour(
    one: Answered, later: Sequence[QuestionAsked], rules: LabelRules, terms: Terms, now: datetime
) -> Iterator[Label]:
    if thread_of(one.question) is None:
        return
    asker = one.question.asker
    again = next((q.asked_at for q in later if _asked_again(q, one, rules, terms)), None)
    if again is not None:
        for label, _ in _blank(one, lambda given: True):
            yield label(relevance=0, source="behaviour", weight=rules.rephrased, at=again, person=asker)
        return
    over = one.made_at + rules.quiet
    talked = any(question.asked_at <= over for question in later)
    if over <= now and not talked and not any(vote.vote == "down" for vote in one.votes):
        for label, _ in _blank(one, lambda given: given.cited):
            yield label(relevance=CONTENT, source="behaviour", weight=rules.ended, at=over, person=asker)


def _asked_again(question: QuestionAsked, one: Answered, rules: LabelRules, terms: Terms) -> bool:
    """By the same person, who had the answer by then, soon, and in similar words."""
    soon = timedelta(0) <= question.asked_at - one.made_at <= rules.rephrased_within
    same = question.asker == one.question.asker
    return soon and same and rephrases(question.text, one.question.text, rules.rephrased_share, terms)


def _follows(question: QuestionAsked, former: QuestionAsked) -> bool:
    return thread_of(question) == thread_of(former) is not None and _when(question) > _when(former)


def _when(question: QuestionAsked) -> tuple[datetime, str]:
    return question.asked_at, question.id


def _searched_for(one: Answered) -> str:
    """A follow-up says too little by itself."""
    return str(one.answer.get("understood_as") or one.question.text)


def _blank(one: Answered, of: Callable[[Given], bool]) -> Iterator[tuple[Callable[..., Label], Given]]:
    """Per passage a label that lacks relevance, source, weight and moment. It was seen where the answer cites it."""
    cited: dict[str, int] = {}
    for place, citation in enumerate(one.answer["citations"], 1):
        cited.setdefault(citation["chunk_id"], place)
    for given in filter(of, one.given):
        yield partial(
            Label, question=_searched_for(one), audience=audience_tags(one.question.audience), chunk_id=given.chunk_id,
            text_hash=given.text_hash, version=one.answer["index_version"], answer_id=one.answer["id"],
            position=cited.get(given.chunk_id, given.number),
        ), given  # fmt: skip
