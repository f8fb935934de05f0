"""Words that lead from a passage to the next one: names near what was asked for, and words that few passages hold."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile

from vouch.documents.chunk import model_input, plain
from vouch.documents.text.sentences import sentence_spans
from vouch.ports.index import View
from vouch.ports.models import Analyse
from vouch.values.candidate import Passage, Statistics

MOST_WORDS = 4                          # of one passage
LONGEST = 60                            # characters of a name
RARE = 5                                # visible passages that hold a rare word, or one in a hundred of all; never half
READ = 2000                             # characters of a passage
_NAME = re.compile(r"\b[A-Z][\w&’'-]*(?: (?:of |the |de |von )?[A-Z0-9][\w&’'-]*)*")
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


def bridging_words(view: View, passage: Passage, question: str, analyse: Analyse) -> tuple[str, ...]:
    """Names whose words another visible passage holds, those beside most of what was asked for first; then rare words;
    then names that no other holds, as there is room. Without the words of the question itself."""
    text, asked = plain(passage.text[:READ]), set(analyse(question))
    headings = list(dict.fromkeys([passage.title, *passage.section[-1:]]))
    sentences = [*headings, *(text[start:end] for start, end in sentence_spans(text))]
    named = [_names(sentence, asked, analyse) for sentence in sentences]
    words = [one for word in dict.fromkeys(word.group(0)[:LONGEST] for word in _WORD.finditer(text))
             if (one := _Said(word, _new(word, asked, analyse))).terms]
    told = [term for one in [*(name for names in named for name in names), *words] for term in one.terms]
    counted = view.statistics(list(dict.fromkeys([*sorted(asked), *told])))

    def rarity(one: _Said) -> int:
        return min(counted.frequency.get(term, 0) for term in one.terms)

    own = set(analyse(model_input(passage.section, passage.text, passage.header)))

    def leads(one: _Said) -> bool:
        return any(counted.frequency.get(term, 0) > (term in own) for term in one.terms)

    near = [_near(sentence, asked, counted, analyse) for sentence in sentences]
    most = max(near, default=0.0)
    for number in range(len(headings)):     # a passage about something that the question does not name
        near[number] = near[number] or most
    order = sorted(range(len(sentences)), key=lambda number: -near[number])
    names = [name for number in order for name in named[number]]
    bound = min(max(RARE, counted.rows // 100), counted.rows // 2)
    rare = sorted((one for one in words if 1 < rarity(one) <= bound), key=rarity)
    return _apart([*filter(leads, names), *rare, *(one for one in names if not leads(one))])[:MOST_WORDS]


def _names(sentence: str, asked: set[str], analyse: Analyse) -> list[_Said]:
    """In their order, each without the question's words."""
    found = []
    for name in _NAME.finditer(sentence):
        words = [word for word in name.group(0)[:LONGEST].split() if _new(word, asked, analyse) and _is_name(word)]
        words = list(dropwhile(str.isdigit, words))
        if words:
            text = " ".join(words)
            found.append(_Said(text, _new(text, asked, analyse)))
    return found


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
