"""Follow-ups: a question that needs what was asked before it in the same conversation, and the question it stands for.

`And for contractors?` after `How many days of leave do employees get?` is
searched as both together. English rules; other questions are left as they are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from vouch.ports.models import Analyser
from vouch.values.candidate import Passage

MOST_TURNS = 3                          # earlier questions that complete one
LONGEST_TURN = 300                      # characters of an earlier question that are used
MOST_TITLES = 3                         # of what earlier answers cited
LONGEST_TITLE = 120                     # characters of one, with its heading
FEW = 5                                 # a question of so few words that say what it is about may lack another
MANY = 8                                # and one of more lacks none
MOST_WORDS = 60                         # a longer one is understood as it stands: looking back costs words squared

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_OPENINGS = frozenset(["and", "or", "but", "also", "otherwise", "same", "else"])
_OPENING_PAIRS = frozenset([
    "what about", "how about", "what else", "who else", "anything else", "what if", "even if", "only if", "why not",
    "how come", "for whom", "since when", "until when", "by when", "by whom",
])
_PREPOSITIONS = frozenset([
    "for", "in", "on", "at", "with", "without", "after", "before", "during", "from", "within", "under", "over", "as",
])
_ASKING = frozenset(["who", "whom", "whose", "what", "which", "when", "where", "why", "how"])
_VERBS = frozenset([
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "may", "must", "should", "will", "would", "has",
    "have", "had", "shall", "need",
])
_SINGULAR = frozenset(["it", "its", "this", "that", "itself", "he", "she", "him", "his", "her"])
_PLURAL = frozenset(["they", "them", "their", "theirs", "these", "those", "both"])
_LINKS = frozenset(["then", "ones"])
_BEFORE_THAT = frozenset(["of", "about", "like", "than", "to"])
_MEASURES = frozenset([                 # beside how, and other words that name no subject
    "long", "many", "much", "often", "fast", "quickly", "soon", "far", "old", "big", "high", "late", "early", "happens",
    "happen", "get", "take", "takes", "else", "ok", "okay", "please", "exactly", "still", "now", "whole", "thing",
])
_PERIODS = frozenset(["year", "month", "week", "quarter", "time", "morning", "company", "day"])


class Lack(Enum):
    """What a question lacks: nothing, perhaps its subject, surely something."""

    NOTHING = 0
    PERHAPS = 1
    EARLIER = 2


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of the conversation that every reader of the new one could see.

    `followed_up`: it needed an earlier one itself. `outside`: its words may leave the company.
    """

    question: str
    followed_up: bool = False
    outside: bool = True


def lack_of(text: str, analyser: Analyser) -> Lack:
    """Whether the question can be understood without what came before it."""
    words = _words(text)
    if not words or len(words) > MOST_WORDS or (subjects := _subjects(words, analyser)) > MANY:
        return Lack.NOTHING
    if subjects <= 1 or _goes_on(words, analyser):
        return Lack.EARLIER
    return Lack.PERHAPS if subjects <= FEW else Lack.NOTHING


def points_back(text: str, analyser: Analyser) -> bool:
    """Whether its words say that something came before it: `Expenses?` lacks something, and may begin anew."""
    words = _words(text)
    return lack_of(text, analyser) is Lack.EARLIER and (_goes_on(words, analyser) or not _subjects(words, analyser))


def turns_it_stands_on(turns: Sequence[Turn]) -> list[Turn]:
    """Of `turns`, newest first, those that a follow-up stands on: back to one that stands alone, oldest first."""
    used: list[Turn] = []
    for turn in turns[:MOST_TURNS]:
        used.append(turn)
        if not turn.followed_up:
            break
    return used[::-1]


def with_earlier(text: str, turns: Sequence[Turn], titles: Sequence[str] = ()) -> str:
    """The question behind those it stands on, oldest first, and behind titles of what these were answered from."""
    return " ".join([*earlier_questions(turns), *titles, text])


def earlier_questions(turns: Sequence[Turn]) -> list[str]:
    """On a line each, cut where they are long."""
    return [_cut(turn.question, LONGEST_TURN) for turn in turns]


def title_of(passage: Passage) -> str:
    """The name of its document and the last of its headings, where that is another one."""
    named = [" ".join(one.split()) for one in (passage.title, *passage.section[-1:])]
    return _cut(", ".join(dict.fromkeys(one for one in named if one)), LONGEST_TITLE)


def turned_to(text: str) -> list[str]:
    """What "And parking?" or "What about parking?" turns to; nothing of a question that says what it asks."""
    words, rest = _words(text), list[str]()
    if words[:1] in (["and"], ["or"], ["but"]):
        rest = words[1:]
    elif words[:2] in (["what", "about"], ["how", "about"]):
        rest = words[2:]
    return [] if not rest or rest[0] in _ASKING or not _VERBS.isdisjoint(rest) else rest


def name_nothing(turns: Sequence[Turn], analyser: Analyser) -> bool:
    """Whether no word of those that a question stands on says what they are about."""
    return not any(_subjects(_words(turn.question), analyser) for turn in turns)


def _cut(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[:longest].rsplit(" ", 1)[0]


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def _subjects(words: Sequence[str], analyser: Analyser) -> int:
    """How many of the words say what it is about."""
    return len(set(analyser.terms(" ".join(word for word in words if word not in _MEASURES))))


def _goes_on(words: Sequence[str], analyser: Analyser) -> bool:
    """By how it begins, or by a pronoun."""
    if words[0] in _OPENINGS or " ".join(words[:2]) in _OPENING_PAIRS:
        return True
    if words[0] in _PREPOSITIONS and _ASKING.isdisjoint(words) and _VERBS.isdisjoint(words):
        return True
    return any(_refers_back(words, index, analyser) for index in range(len(words)))


def _refers_back(words: Sequence[str], place: int, analyser: Analyser) -> bool:
    """Whether the word there is a pronoun for something that this question does not name before it."""
    word, before, rest = words[place], words[:place], words[place + 1 :]
    named = _subjects(before, analyser)
    if word in _PLURAL:
        return not named
    if word in _SINGULAR:
        return named <= 1 and not _points_ahead(word, before, rest, analyser)
    if word == "there":
        return named <= 1 and _VERBS.isdisjoint([*before[-1:], *rest[:1]])
    return word in _LINKS and named <= 1 and not rest


def _points_ahead(word: str, before: Sequence[str], rest: Sequence[str], analyser: Analyser) -> bool:
    """`is it possible to …`, `the one that …`, `this week`."""
    if rest and rest[0] in _PERIODS:
        return True
    if word == "it":
        ahead = [n for n, other in enumerate(rest) if other in ("to", "that", "if", "when")]
        return bool(ahead) and _subjects(rest[ahead[0] :], analyser) > 0
    joins = word == "that" and before and rest and before[-1] not in _VERBS | _PREPOSITIONS | _BEFORE_THAT
    return bool(joins) and _subjects(before, analyser) > 0
