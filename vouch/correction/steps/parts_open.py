"""Which parts of a question its answer leaves open: by what reached the writer and what is cited.

A passage that may answer a part helps nobody who reads an answer that it did
not get into.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from vouch.answering.answer import Budget, ended_early
from vouch.answering.copies import words_of
from vouch.answering.part_notes import (
    FIRST_LINK,
    NO_ROOM,
    NOT_LINKED,
    NOT_QUOTED,
    NOT_SAID,
    NOT_SEARCHED,
    NOT_SURE,
    NOTHING,
)
from vouch.answering.quoting.layout import beside
from vouch.answering.verification.citations import Verified
from vouch.correction.planning.chains import beside_links
from vouch.correction.planning.joined import not_held
from vouch.correction.steps.links import Quotation, has_to_stand, lacked, nearest_group, terms_of
from vouch.correction.steps.memory import Memory
from vouch.correction.steps.trajectory import NOT_JUDGED, PartFound, StepTaken, Stopped, Walked
from vouch.plurals import count
from vouch.ports.language import QUOTED, Draft, Evidence
from vouch.ports.models import Analyse
from vouch.retrieval.question.follow_up import turned_to
from vouch.values.question import Question

SHOWN = 100                             # characters of a part in a warning
MOST_NAMED = 6                          # of what was not searched for
SHARED = 0.5                            # of a part's words, that a sentence about it has with what it cites


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """The parts that are, with a note on each that was searched for; and, where one is, the words of passages that
    answer another."""

    parts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    answered: frozenset[str] = frozenset()


def parts_left_open(
    walked: Walked, draft: Draft, verified: Verified, evidence: Sequence[Evidence], analyse: Analyse
) -> LeftOpen:
    """A note on each part that the answer does not answer, in words of the question alone.

    A part is answered where the answer cites a passage that is likely enough to answer it, by the evaluator: it
    reaches the upper threshold, as what a search ends for as covered does. It also is where a sentence is about it that
    a language model wrote, which read the passages, and that cites one which may answer it; or that cites the web,
    whose pages are judged for the whole question. Of a chain, and of a question in one part that its first search did
    not settle, quotations need all words: the first link of a chain alone looks like an answer.
    """
    wanted, quoted = walked.wanted, _quoted(draft, verified)
    if len(wanted) < 2 and not walked.rest:
        return next((_lacking(part.text, _words_left(part, quoted, analyse)) for part in wanted), LeftOpen())
    lower, upper = walked.verdict.thresholds
    given = {words_of(one.passage) for one in evidence}
    cited = {words_of(one.passage) for one in verified.citations}
    said = _said(draft, verified, walked, analyse)
    parts, notes = [one[:SHOWN] for one in walked.rest[:MOST_NAMED]], list[str]()
    answered = [] if len(wanted) > 1 else list(wanted)
    for part in wanted if len(wanted) > 1 else ():
        may, likely = (_reaching(bound, part, walked) for bound in (lower, upper))
        if part.text in said or not cited.isdisjoint(likely):
            note = _words_left(part, quoted, analyse)
        else:
            why = _not_found(part) if not may else NO_ROOM if given.isdisjoint(may) else _not_cited(cited, may)
            note = f"{why}: {part.text[:SHOWN]}" if why else ""
        if note:
            parts.append(part.text[:SHOWN])
            notes.append(note)
        else:
            answered.append(part)
    links = (words_of(passage) for part in answered if part.by_words
             for passage, *_ in nearest_group(part.text, quoted, analyse)[0])
    told = _likely_for_one(answered, walked).union(links)
    return LeftOpen(tuple(parts), tuple(notes), told if parts else frozenset())


def _quoted(draft: Draft, verified: Verified) -> list[Quotation]:
    """None of what a language model wrote, or the web told: by words nothing is known of that."""
    quoted = [(one.passage, one.start, one.end) for one in verified.citations]
    outside = any(passage.origin == "external" for passage, *_ in quoted)
    return quoted if draft.model == QUOTED and not outside else []


def _words_left(part: PartFound, quoted: Sequence[Quotation], analyse: Analyse) -> str:
    """A note on words of a part that the quotations which belong together lack."""
    if not part.by_words or not quoted:
        return ""
    group, words = nearest_group(part.text, quoted, analyse)
    beside = beside_links(part.text)
    untold = beside is not None and not any(has_to_stand(word, analyse) for word in beside)
    if untold and not words and len({passage.chunk_id for passage, *_ in group}) == 1:
        return FIRST_LINK
    nowhere = lacked(words, set().union(*(terms_of(one, analyse) for one in quoted)), analyse)
    return f"{NOT_QUOTED if nowhere else NOT_LINKED}: {', '.join(nowhere or words)[:SHOWN]}" if words else ""


def not_turned_to(question: Question, draft: Draft, verified: Verified, analyse: Analyse) -> LeftOpen:
    """Where a follow-up turns to something else, as "And parking?" does, and no quotation has a word of that."""
    words = _turns_to(question)
    asked = {term for word in words for term in analyse(word)}
    quoted = [(one.passage, one.start, one.end) for one in verified.citations]
    if not asked or not quoted or draft.model != QUOTED:
        return LeftOpen()
    held = {term for one in quoted for term in (*terms_of(one, analyse), *analyse(beside(*one)))}
    if not asked.isdisjoint(held):
        return LeftOpen()
    return _lacking(question.text, f"{NOT_QUOTED}: {', '.join(word for word in words if analyse(word))[:SHOWN]}")


def _lacking(asked: str, note: str) -> LeftOpen:
    return LeftOpen((asked[:SHOWN],), (note,)) if note else LeftOpen()


def may_leave_open(walked: Walked, question: Question) -> bool:
    """Whether an answer may be found to leave something open: else its sentences can be told at once."""
    return len(walked.wanted) > 1 or any(part.by_words for part in walked.wanted) or bool(_turns_to(question))


def _turns_to(question: Question) -> list[str]:
    return turned_to(question.text) if question.understood_as else []


def joined_alone(memory: Memory, upper: float, analyse: Analyse) -> list[str]:
    """What a part joins that no passage holds which is likely enough to answer that part."""
    known = {one.chunk_id: one.passage for found in memory.lists for one in found}
    return [text for part in memory.parts if part.wanted for text in not_held(
        part.text, [known[one] for one, likely in part.likely.items() if likely >= upper], analyse)]


def search_ended(
    rest: Sequence[str], stopped: Stopped, steps: Sequence[StepTaken], used_up: Budget = "steps"
) -> tuple[str, ...]:
    """What was not looked for at all, as there was too much, and that the search ended early."""
    notes = [f"{NOT_SEARCHED}, as there are too many: {text[:SHOWN]}" for text in rest[:MOST_NAMED]]
    notes += [f"and {len(rest) - MOST_NAMED} more"] if len(rest) > MOST_NAMED else []
    notes += [ended] if (ended := ended_early(stopped, len(steps), used_up)) else []
    if late := sum(one.error == NOT_JUDGED for one in steps):
        notes.append(f"what {count(late, 'further step')} found was not judged in time, and is left out")
    return tuple(notes)


def _not_found(part: PartFound) -> str:
    return NOTHING if part.tried else NOT_SEARCHED


def _not_cited(cited: set[str], may: set[str]) -> str:
    """Of a decline nothing is cited, which says nothing about a part of it."""
    return "" if not cited else NOT_SAID if may.isdisjoint(cited) else NOT_SURE


def _likely_for_one(wanted: Sequence[PartFound], walked: Walked) -> frozenset[str]:
    """The words of every passage that is likely enough to answer one of them."""
    _, upper = walked.verdict.thresholds
    return frozenset().union(*(_reaching(upper, part, walked) for part in wanted))


def _reaching(bound: float, part: PartFound, walked: Walked) -> set[str]:
    """By words, since what is given and cited may be a copy of what was judged."""
    return {words_of(one.passage) for one in walked.judged if part.likely.get(one.chunk_id, 0.0) >= bound}


def _said(draft: Draft, verified: Verified, walked: Walked, analyse: Analyse) -> set[str]:
    """Of each such sentence the part whose words it has most of, with the headings of what it cites.

    It has to be held by what it cites, and to cite the web or a passage that may answer the part: "the documents do
    not say who is on call" has words enough.
    """
    lower, _ = walked.verdict.thresholds
    cited = {one.number: one.passage for one in verified.citations}
    found = set()
    for sentence in verified.sentences:
        passages = [cited[number] for number in sentence.citations]
        if draft.model == QUOTED and not any(one.origin == "external" for one in passages):
            continue
        headings = (heading for passage in passages for heading in (passage.title, *passage.section))
        held = set(analyse(" ".join((sentence.text, *headings))))
        share, part = max(((_share(part.text, held, analyse), part) for part in walked.wanted),
                          key=lambda pair: (pair[0], pair[1].text))
        may = _reaching(lower, part, walked)
        cites = any(one.origin == "external" or words_of(one) in may for one in passages)
        if cites and not sentence.weak and share >= SHARED:
            found.add(part.text)
    return found


def _share(part: str, held: set[str], analyse: Analyse) -> float:
    terms = set(analyse(part))
    return len(terms & held) / len(terms) if terms else 0.0
