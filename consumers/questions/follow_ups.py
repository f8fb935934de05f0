"""Completes a question from what came before it in its thread, as far as all who will see the answer may know that.

Words of earlier questions are known to them. Titles of what earlier answers
cited, or key terms of what has none, are looked up anew, with the rights of
now, and only where the earlier answer was made for the same readers: one made
for others cites what it does by reason of documents that these may not know of.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from vouch.access import Audience
from vouch.adapters.ledger import EarlierQuestion
from vouch.answering.answer import REMOVED
from vouch.correction.components import Components
from vouch.errors import Denied, ModelDown
from vouch.messages import LONGEST_QUESTION, ConversationAudience, QuestionAsked
from vouch.ports.index import Index
from vouch.ports.models import Analyse, Analyser
from vouch.retrieval.question.follow_up import (
    MOST_TITLES,
    MOST_TURNS,
    Lack,
    Turn,
    earlier_questions,
    lack_of,
    name_nothing,
    points_back,
    title_of,
    turns_it_stands_on,
    with_earlier,
)
from vouch.retrieval.question.key_terms import key_terms
from vouch.values.made_by import RULES
from vouch.values.question import Question

_log = logging.getLogger(__name__)
RULES_AND_TITLES, RULES_AND_KEY_TERMS = f"{RULES}, with titles", f"{RULES}, with key terms"
Earlier = Callable[[QuestionAsked], Sequence[EarlierQuestion]]
Last = Callable[[QuestionAsked], EarlierQuestion | None]
Gone = Callable[[QuestionAsked], bool]


class Titles(NamedTuple):
    """Of passages that earlier answers cited, with their chunks; `key_terms`: one without a title has these instead."""

    texts: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    key_terms: bool = False


@dataclass(frozen=True)
class FollowUps:
    """`earlier`: what was asked before in the thread of a question and is known to its readers, newest first.

    `last`: of a question that begins a thread, what its asker asked last in the same conversation, if it may go on
    from that. `is_gone`: whether the words of one are not said any more where they were, which nobody may have told.
    """

    index: Index
    earlier: Earlier
    last: Last
    is_gone: Gone

    def understood(self, question: Question, message: QuestionAsked, c: Components) -> Question:
        """The question itself where nothing that all its readers know came before it."""
        before = self._still_said(self._before(message, c.analyser), message, question, c.analyser)
        alike, used = _used(before, message, question, c.analyser)
        whole = with_earlier(question.text, used)
        if not used or len(whole) > LONGEST_QUESTION:
            return question
        understood = replace(question, understood_as=whole, understood_by=RULES,
                             understood_from=tuple(one.question.id for one in before[: len(used)]),
                             outside=question.outside and _may_leave(used, before, c.analyser))
        made_alike = [one for one, same in zip(before[: len(used)], alike, strict=False) if same]
        if c.completer is not None:
            return self._by_model(understood, used, made_alike, c)
        if not name_nothing(used, c.analyser):
            return understood
        return _with_titles(understood, used, self.titles(made_alike, question, c.analyser.terms))

    def _still_said(
        self, before: list[EarlierQuestion], message: QuestionAsked, question: Question, analyser: Analyser
    ) -> list[EarlierQuestion]:
        """Up to the first that would be used, and is gone."""
        _, used = _used(before, message, question, analyser)
        gone = next((place for place, one in enumerate(before[: len(used)]) if self.is_gone(one.question)), None)
        return before[:gone]

    def _before(self, message: QuestionAsked, analyser: Analyser) -> list[EarlierQuestion]:
        found = list(self.earlier(message))
        while len(found) < MOST_TURNS:
            first = found[-1].question if found else message
            last = self.last(first) if points_back(first.text, analyser) else None
            if last is None:
                break
            found += [last, *self.earlier(last.question)]
        return found[:MOST_TURNS]

    def _by_model(
        self, question: Question, used: Sequence[Turn], made_alike: Sequence[EarlierQuestion], c: Components
    ) -> Question:
        """By the rules where it does not reply, or makes another question of it; the answer says why."""
        assert c.completer is not None
        titles = self.titles(made_alike, question, None)
        try:
            said = c.completer.complete(question.text, earlier_questions(used), titles.texts)
        except ModelDown as down:
            _log.info("a follow-up was completed by rules: %s", down.cause)
            by_rules = _with_titles(question, used, titles) if name_nothing(used, c.analyser) else question
            return replace(by_rules, understood_by=f"{by_rules.understood_by} ({down.cause})")
        return replace(question, searched_as=said, titles_of=titles.chunk_ids, understood_by=c.completer.name)

    def titles(self, earlier: Sequence[EarlierQuestion], question: Question, analyse: Analyse | None) -> Titles:
        """At most so many, of what the newest answers cited first, within the question's filters; without key terms
        where nothing says how to `analyse` words.

        An answer counts if all that it was made from may be read still by everybody who will see the new one.
        """
        if not earlier:
            return Titles()
        found: dict[str, tuple[str, bool]] = {}
        view = self.index.view(question.audience, question.filters)
        for one in earlier:
            if not self.index.visible(question.audience, one.given).issuperset(one.given):
                continue
            for chunk_id in _cited(one):
                try:
                    [passage] = view.passages([chunk_id])
                except Denied:          # hidden, gone, or filtered out: nobody can tell which
                    continue
                title = title_of(passage)
                untitled = not any(map(str.isalnum, title))
                if untitled:
                    said = f"{one.question.text} {question.text}"
                    title = " ".join(key_terms(view, passage, said, analyse)) if analyse else ""
                if title and not passage.injection:
                    found.setdefault(title, (chunk_id, untitled))
        first = list(found.items())[:MOST_TITLES]
        return Titles(tuple(title for title, _ in first), tuple(chunk_id for _, (chunk_id, _) in first),
                      any(untitled for _, (_, untitled) in first))


def _used(
    before: Sequence[EarlierQuestion], message: QuestionAsked, question: Question, analyser: Analyser
) -> tuple[list[bool], list[Turn]]:
    """Which of them were made for the same readers, and what the question stands on."""
    alike = [made_for_them(one, message, question.audience) for one in before]
    return alike, turns_it_stands_on(turns(before, alike, analyser))


def made_for_them(earlier: EarlierQuestion, message: QuestionAsked, audience: Audience) -> bool:
    """Whether its answer was made from nothing but what the readers of the new one could read then, and its filters
    let through."""
    if message.filters and message.filters != earlier.question.filters:
        return False
    if isinstance(message.audience, ConversationAudience):
        return earlier.answer.get("made_for") == audience.digest
    before = earlier.question.audience
    return before.kind == "tags" and set(message.audience.tags) <= set(before.tags)


def turns(earlier: Sequence[EarlierQuestion], alike: Sequence[bool], analyser: Analyser) -> list[Turn]:
    """Newest first, up to the first whose words were purged.

    Whether one followed up is told by its answer where that was made for the same readers, and else by its words.
    """
    found = []
    for one, same in zip(earlier, alike, strict=True):
        if one.question.text == REMOVED:
            break
        text = one.question.text
        followed = bool(one.answer.get("understood_as")) if same else lack_of(text, analyser) is Lack.EARLIER
        found.append(Turn(text, followed, one.question.outside))
    return found


def _may_leave(used: Sequence[Turn], before: Sequence[EarlierQuestion], analyser: Analyser) -> bool:
    """Not where what documents answered earlier chose which questions are used: the web would see that choice."""
    by_words = turns_it_stands_on(turns(before, [False] * len(before), analyser))
    return all(turn.outside for turn in used) and [turn.question for turn in used] == [t.question for t in by_words]


def _with_titles(question: Question, used: Sequence[Turn], titles: Titles) -> Question:
    whole = with_earlier(question.text, used, titles.texts)
    if not titles.texts or len(whole) > LONGEST_QUESTION:
        return question
    return replace(question, searched_as=whole, titles_of=titles.chunk_ids,
                   understood_by=RULES_AND_KEY_TERMS if titles.key_terms else RULES_AND_TITLES)


def _cited(earlier: EarlierQuestion) -> list[str]:
    """Chunks of the documents that its answer cites, in order."""
    return [one["chunk_id"] for one in earlier.answer.get("citations", ()) if one.get("origin") != "external"]
