"""The words that a search service is sent: a function of the question alone.

Whatever the documents hold, hidden or not, the query is the same; a search
service could otherwise be told by a question what they say.
"""

import re
from collections.abc import Callable

from vouch.ports.analyser import Analyser

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
