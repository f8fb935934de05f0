"""A question as asked, and what is made of it: text for models, terms for the index, words for the web.

Whatever the documents hold, hidden or not, the query is the same; a search
service could otherwise be told by a question what they say.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from vouch.access import Audience
from vouch.errors import BadInput
from vouch.filters import EVERYTHING, Filters
from vouch.ports.models import Analyser

LONGEST_QUESTION = 4000                 # characters; the encoder reads far fewer
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Question:
    """One question by one audience. `resolve`, where given, looks the audience up anew: memberships change.

    `surface` is where it was asked, empty where that is not known; its words may leave the company if `outside`.
    `filters` say which of the documents may answer it.
    `understood_as` is what is searched for, where that is more than was asked (follow_up.py).
    `steps`: how many further ones may be taken; not `steps_by_default`: its asker wants them.
    """

    id: str
    text: str
    audience: Audience
    asked_at: datetime
    resolve: Callable[[], Audience] | None = None
    surface: str = ""
    outside: bool = True
    understood_as: str = ""
    filters: Filters = EVERYTHING
    steps: int = 0
    steps_by_default: bool = False

    @property
    def whole(self) -> str:
        return self.understood_as or self.text

    def current_audience(self) -> Audience:
        return self.resolve() if self.resolve is not None else self.audience


@dataclass(frozen=True, slots=True)
class Query:
    text: str                           # one line, without invisible characters
    terms: tuple[str, ...]              # of the analyser, in order, repeats kept
    lists: bool = False                 # wants everything there is, not the best few


def form_query(text: str, analyser: Analyser) -> Query:
    """What is searched for `text`. Raises BadInput for an empty or overlong question."""
    visible = "".join(c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c) != "Cf")
    line = _SPACE.sub(" ", visible).strip()
    if not line:
        raise BadInput("the question is empty", cure="write a question")
    if len(line) > LONGEST_QUESTION:
        raise BadInput(f"the question has {len(line)} characters", cure=f"ask with at most {LONGEST_QUESTION}")
    return Query(line, tuple(analyser.terms(line)))


WORDS = 10
_WORD = re.compile(r"\S+")
_ADDRESS = re.compile(r"://|@")
_EDGES = "\"'“”‘’«»()[]{}<>.,;:!?¿¡…*_`|/\\"


def web_query(question: str, analyser: Analyser, pieces: Callable[[str], int], words: int = WORDS) -> str:
    """The question's names, numbers and rarest words, at most `words`, in its own order.

    A word is the rarer the more `pieces` a model's tokenizer cuts it into,
    and the longer it is: that needs no count over any documents. Words
    without an index term, such as "the", are left out, and so are addresses:
    they may hold keys, and are no words to search by.
    """
    found: dict[str, tuple[bool, int, int]] = {}
    for number, match in enumerate(_WORD.finditer(question)):
        word = match[0].strip(_EDGES)
        if word and not _ADDRESS.search(word) and analyser.terms(word):
            found.setdefault(word, (_stands_out(word, first=number == 0), pieces(word.lower()), len(word)))
    kept = sorted(found, key=lambda word: found[word], reverse=True)[:words]
    return " ".join(word for word in found if word in kept)


def _stands_out(word: str, *, first: bool) -> bool:
    """A number, or a name: capitalised within the question, or in capitals."""
    if any(map(str.isdigit, word)):
        return True
    return word[:1].isupper() and (not first or word[1:] != word[1:].lower())
