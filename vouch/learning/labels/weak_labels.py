"""Labels that nobody gave on purpose: from citations, votes and what askers did next, and what each counts.

A function of recorded rows, so that it can be repeated: the same answer,
votes and questions make the same labels. Only an answer that has reached its
readers makes any, and only passages that its writer was given get one: what
was found and not given is unknown, which is not the same as irrelevant.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any

from vouch.access import PUBLIC
from vouch.learning.labels.label import Label, audience_tags
from vouch.learning.labels.threads import Threads, thread_of
from vouch.messages import ConversationAudience, QuestionAsked

DOWN: Mapping[str, float] = {"not_asked": 0.5, "wrong": 0.4, "outdated": 0.2, "other": 0.3}


@dataclass(frozen=True)
class LabelRules:
    """Weights count beside that of a judgment. `down` is by the category of the vote; `other` for one without any."""

    judged: float = 1.0
    cited: float = 0.2
    caution: float = 0.25               # of `cited`, where the answer was given with caution
    shown: float = 0.1                  # given to the writer, which did not cite it
    up: float = 0.5
    down: Mapping[str, float] = field(default_factory=lambda: DOWN)
    rephrased: float = 0.1
    rephrased_share: float = 0.5        # of the terms of two questions that both must have
    rephrased_within: timedelta = timedelta(minutes=10)
    rephrased_among: int = 50           # of the asker's next questions within that time, the first so many
    ended: float = 0.1
    quiet: timedelta = timedelta(days=1)


CITED, LIKED, CONTENT = 1, 2, 1         # relevance of what is cited, voted up, and where nobody asked on
_ANSWERED = ("answered", "answered_with_caution")
_SURE = ("answered",)                   # what somebody may have been content with
_NO_LABEL = "not_allowed"               # it says who may read, and nothing of what is relevant


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
    """A question with its answer's JSON, as recorded. `sent`: its readers have it. `gone`: its words are."""

    question: QuestionAsked
    answer: Mapping[str, Any]
    made_at: datetime
    sent: bool
    given: tuple[Given, ...]
    votes: tuple[Ballot, ...]
    gone: bool = False


def weak_labels(one: Answered, threads: Threads, rules: LabelRules, now: datetime) -> list[Label]:
    """By chunk and source. `threads` holds all questions that are known, itself among them or not."""
    if not one.sent or one.gone or one.answer["action"] not in _ANSWERED:
        return []
    made = [*_from_citations(one, threads, rules), *_from_votes(one, rules, now),
            *_from_behaviour(one, threads, rules, now)]
    return sorted((label for label in made if label.weight > 0), key=lambda label: label.key)


def rephrases(question: str, former: str, share: float, terms: Callable[[str], Iterable[str]]) -> bool:
    """Whether at least this share of the different terms of both questions together stands in both, or all words do."""
    if _words(question) == _words(former) != []:
        return True                     # also where none of them is a term
    mine, theirs = frozenset(terms(question)), frozenset(terms(former))
    both = len(mine & theirs)
    return both > 0 and both >= share * (len(mine) + len(theirs) - both)


def _from_citations(one: Answered, threads: Threads, rules: LabelRules) -> Iterator[Label]:
    """Whoever asks again did not find what was cited relevant: then it is unknown, and the rest as ever."""
    sure = 1.0 if one.answer["action"] == "answered" else rules.caution
    in_vain = _asked_again_for_the_same_readers(one, threads, rules)
    for label, given in _blank(one, lambda given: not (given.cited and in_vain)):
        relevance, weight = (CITED, rules.cited * sure) if given.cited else (0, rules.shown)
        yield label(relevance=relevance, source="cited", weight=weight, at=one.made_at)


def _from_votes(one: Answered, rules: LabelRules, now: datetime) -> Iterator[Label]:
    """One dated ahead is of now: it would move what is held out."""
    for vote in one.votes:
        if vote.category == _NO_LABEL:
            continue
        up = vote.vote == "up"
        weight = rules.up if up else rules.down.get(vote.category or "other", rules.down["other"])
        for label, _ in _blank(one, lambda given: given.cited):
            yield label(relevance=LIKED if up else 0, source="vote", weight=weight, at=min(vote.at, now),
                        person=vote.person)


def _from_behaviour(one: Answered, threads: Threads, rules: LabelRules, now: datetime) -> Iterator[Label]:
    asker = one.question.asker
    again = _asked_again(one, threads, rules)
    if again is not None:
        for label, _ in _blank(one, lambda given: True):
            yield label(relevance=0, source="behaviour", weight=rules.rephrased, at=again, person=asker)
        return
    over = one.made_at + rules.quiet
    if over <= now and _content(one, threads, rules, over):
        for label, _ in _blank(one, lambda given: given.cited):
            yield label(relevance=CONTENT, source="behaviour", weight=rules.ended, at=over, person=asker)


def _asked_again(one: Answered, threads: Threads, rules: LabelRules) -> datetime | None:
    """When the same person, who had the answer by then, soon asked in similar words, in its thread or elsewhere.

    The very same words for other readers say nothing of what these were shown: buttons ask them, to share an answer
    or to have one alone. Nor do any words that a program asks for other people.
    """
    until = one.made_at + rules.rephrased_within
    later = threads.same_person(one.question, one.made_at, until, rules.rephrased_among)
    return next((q.asked_at for q in later
                 if _similar(q, one, threads, rules) and not _for_others(q, one.question)), None)


def _asked_again_for_the_same_readers(one: Answered, threads: Threads, rules: LabelRules) -> bool:
    """Questions for other readers have no part: labels of what the public asked depend on public questions alone."""
    until = one.made_at + rules.rephrased_within
    later = threads.same_person_and_readers(one.question, one.made_at, until, rules.rephrased_among)
    return any(_similar(q, one, threads, rules) for q in later)


def _content(one: Answered, threads: Threads, rules: LabelRules, over: datetime) -> bool:
    """Whether its thread ended with a sure answer that its asker did not vote down, and did not have to ask twice."""
    if one.answer["action"] not in _SURE or thread_of(one.question) is None:
        return False
    following = threads.next(one.question)
    disliked = any(vote.vote == "down" and vote.category != _NO_LABEL and vote.person == one.question.asker
                   for vote in one.votes)
    if disliked or (following is not None and following.asked_at <= over):
        return False
    near = threads.same_name(one.question, one.question.asked_at - rules.quiet, over)
    some = list(islice(near, rules.rephrased_among + 1))
    if len(some) > rules.rephrased_among:           # more than are looked through: a program, or the public
        return False
    return not any(_similar(q, one, threads, rules) for q in some)


def _similar(other: QuestionAsked, one: Answered, threads: Threads, rules: LabelRules) -> bool:
    return rephrases(other.text, one.question.text, rules.rephrased_share, threads.terms)


def _for_others(later: QuestionAsked, question: QuestionAsked) -> bool:
    if audience_tags(later.audience) == audience_tags(question.audience):
        return False
    return _words(later.text) == _words(question.text) or _on_behalf(later) or _on_behalf(question)


def _on_behalf(question: QuestionAsked) -> bool:
    """Whether its asker is none of those whom the answer is for."""
    audience = question.audience
    return not isinstance(audience, ConversationAudience) and {question.asker, PUBLIC}.isdisjoint(audience.tags)


def _words(text: str) -> list[str]:
    return text.casefold().split()


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
