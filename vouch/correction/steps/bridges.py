"""Words that lead from a passage to the next one: names near what was asked for, and words that few passages hold."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from vouch.documents.chunk import model_input, plain
from vouch.documents.instructions import may_order_a_model
from vouch.documents.orders import calm_sentences
from vouch.documents.text.capitals import CAPITALS
from vouch.ports.index import View
from vouch.ports.models import Analyse
from vouch.values.candidate import Passage, Statistics

MOST_WORDS = 4                          # of one passage
LONGEST = 60                            # characters of a name
RARE = 5                                # visible passages that hold a rare word, or one in a hundred of all; never half
READ = 2000                             # characters of a passage
_NAME = re.compile(rf"\b[{CAPITALS}][\w&’'-]*(?: (?:of |the |de |von )?[{CAPITALS}0-9][\w&’'-]*)*")
_WORD = re.compile(r"\b[a-z0-9][\w-]{2,}\b")
_DATES = """
january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
"""
_BEGINNINGS = """
also although another because before both currently despite during hence however later many most once several similarly
since some therefore though today until when where while
"""
_NO_NAMES = frozenset((_DATES + _BEGINNINGS).split())
"""Words with a capital letter that are of a date, or begin a sentence."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A name or a word, with its terms that the question does not hold."""

    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Or a heading. Names and words in their order, those without a term of their own left out."""

    text: str
    names: tuple[_Said, ...]
    words: tuple[_Said, ...]


def bridging_words(view: View, passage: Passage, question: str, analyse: Analyse) -> tuple[str, ...]:
    """Names whose words another visible passage holds, those beside most of what was asked for first; then rare words;
    then names that no other holds, as there is room. Without the words of the question itself.

    None are from a sentence that may give orders to a model, or that is far from all that was asked for.
    """
    asked = set(analyse(question))
    headings, sentences = _read(passage, asked, analyse)
    told = [term for one in (*headings, *sentences) for said in (*one.names, *one.words) for term in said.terms]
    counted = view.statistics(list(dict.fromkeys([*sorted(asked), *told])))

    def rarity(one: _Said) -> int:
        return min(counted.frequency.get(term, 0) for term in one.terms)

    own = set(analyse(model_input(passage.section, passage.text, passage.header)))

    def leads(one: _Said) -> bool:
        return any(counted.frequency.get(term, 0) > (term in own) for term in one.terms)

    near = _near_first(headings, sentences, lambda one: _near(one.text, asked, counted, analyse))
    names = [name for one in near for name in one.names]
    words = {word.text: word for one in sentences if one in near for word in one.words}
    bound = min(max(RARE, counted.rows // 100), counted.rows // 2)
    rare = sorted((one for one in words.values() if 1 < rarity(one) <= bound), key=rarity)
    return _apart([*filter(leads, names), *rare, *(one for one in names if not leads(one))])[:MOST_WORDS]


def _read(passage: Passage, asked: set[str], analyse: Analyse) -> tuple[list[_Sentence], list[_Sentence]]:
    """Its headings, and the sentences of its text, but for those that may give orders to a model."""
    text = plain(passage.text[:READ])
    headings = [one for one in dict.fromkeys([passage.title, *passage.section[-1:]]) if not may_order_a_model(one)]
    sentences = calm_sentences(text)
    return ([_Sentence(one, _names(one, asked, analyse), ()) for one in headings],
            [_Sentence(one, _names(one, asked, analyse), _words(one, asked, analyse)) for one in sentences])


def _near_first(
    headings: Sequence[_Sentence], sentences: Sequence[_Sentence], nearness: Callable[[_Sentence], float]
) -> list[_Sentence]:
    """The headings, the sentences that hold something of what was asked for, and the one after each of these."""
    of_headings, near = list(map(nearness, headings)), list(map(nearness, sentences))
    most = max((*of_headings, *near), default=0.0)
    told = [(one or most, heading) for one, heading in zip(of_headings, headings, strict=True)]
    told += [(one, sentence) for one, before, sentence in zip(near, [0.0, *near], sentences, strict=False)
             if one or before]          # a heading without any is of a passage about what the question does not name
    return [one for _, one in sorted(told, key=lambda pair: -pair[0])]


def _names(sentence: str, asked: set[str], analyse: Analyse) -> tuple[_Said, ...]:
    """In their order, each without the question's words."""
    found = []
    for name in _NAME.finditer(sentence):
        words = [word for word in name.group(0)[:LONGEST].split() if _new(word, asked, analyse) and _is_name(word)]
        words = list(dropwhile(str.isdigit, words))
        if words:
            text = " ".join(words)
            found.append(_Said(text, _new(text, asked, analyse)))
    return tuple(found)


def _words(sentence: str, asked: set[str], analyse: Analyse) -> tuple[_Said, ...]:
    """Each once, without those of the question."""
    said = (_Said(word, _new(word, asked, analyse))
            for word in dict.fromkeys(word.group(0)[:LONGEST] for word in _WORD.finditer(sentence)))
    return tuple(one for one in said if one.terms)


def _is_name(word: str) -> bool:
    """A number is part of one beside a word: of "Route 52", and not of "1969 Falcon"."""
    return len(word) > 1 and not word[0].islower() and word.casefold() not in _NO_NAMES


def _new(text: str, asked: set[str], analyse: Analyse) -> tuple[str, ...]:
    return tuple(term for term in analyse(text) if term not in asked)


def _near(sentence: str, asked: set[str], counted: Statistics, analyse: Analyse) -> float:
    """How much of what was asked for it holds, rare words counting more."""
    held = asked.intersection(analyse(sentence))
    return math.fsum(math.log1p(counted.rows / (1 + counted.frequency.get(term, 0))) for term in held)


def _apart(said: Sequence[_Said]) -> tuple[str, ...]:
    """Without those whose words stand in the ones before."""
    before: set[str] = set()
    kept = []
    for one in said:
        if not before.issuperset(one.terms):
            kept.append(one.text)
            before.update(one.terms)
    return tuple(kept)
