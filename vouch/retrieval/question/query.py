"""What is made of a question: text for models, terms for the index, words for the web.

Whatever the documents hold, hidden or not, the query is the same; a search
service could otherwise be told by a question what they say.
"""

import re
import unicodedata
from collections.abc import Callable

from vouch.errors import BadInput
from vouch.messages import LONGEST_QUESTION
from vouch.ports.models import Analyser
from vouch.values.question import Query

_SPACE = re.compile(r"\s+")


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
    rarity_by_word: dict[str, tuple[bool, int, int]] = {}
    for number, match in enumerate(_WORD.finditer(question)):
        word = match[0].strip(_EDGES)
        if word and not _ADDRESS.search(word) and analyser.terms(word):
            rarity_by_word.setdefault(word, (_stands_out(word, first=number == 0), pieces(word.lower()), len(word)))
    rarest = sorted(rarity_by_word, key=lambda word: rarity_by_word[word], reverse=True)[:words]
    return " ".join(word for word in rarity_by_word if word in rarest)


def _stands_out(word: str, *, first: bool) -> bool:
    """A number, or a name: capitalised within the question, or in capitals."""
    if any(map(str.isdigit, word)):
        return True
    return word[:1].isupper() and (not first or word[1:] != word[1:].lower())
