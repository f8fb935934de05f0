"""What a gap is called: the words that many of its askers use, and few others do."""

import math
import unicodedata
from collections.abc import Callable, Sequence
from typing import Protocol

_MOST = 4                               # words of a title


class Said(Protocol):
    """Somebody's words."""

    @property
    def text(self) -> str: ...

    @property
    def asker(self) -> str: ...


def normalised(text: str) -> str:
    """Equal for questions in the same words: without capitals, and without marks and blanks around and between."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(" ?!.…")


class Titles:
    """`everything` that was asked decides which words are rare. Askers are counted, not questions."""

    def __init__(self, everything: Sequence[Said], terms: Callable[[str], list[str]], askers: int) -> None:
        """A word needs so many askers to be in a title."""
        self._terms = terms
        self._needed = askers
        self._users = {term: len(people) for term, people in self._people(everything)[0].items()}
        self._all = len({one.asker for one in everything})

    def of(self, asked: Sequence[Said]) -> tuple[str, ...]:
        """The most telling words first; none if no word is shared by enough askers."""
        people, spelled = self._people(asked)
        shared = {term: len(users) for term, users in people.items() if len(users) >= self._needed}

        def telling(term: str) -> float:
            return shared[term] * (1 + math.log((1 + self._all) / (1 + self._users[term])))

        ranked = sorted(shared, key=lambda term: (-telling(term), term))
        words = (self._spelling(term, spelled[term]) for term in ranked)
        return tuple(dict.fromkeys(words))[:_MOST]

    def _people(self, asked: Sequence[Said]) -> tuple[dict[str, set[str]], dict[str, dict[str, set[str]]]]:
        """By term who used it, and by term and spelling."""
        people: dict[str, set[str]] = {}
        spelled: dict[str, dict[str, set[str]]] = {}
        for one in asked:
            for word in one.text.split():
                for term in self._terms(word):
                    people.setdefault(term, set()).add(one.asker)
                    spelled.setdefault(term, {}).setdefault(_bare(word), set()).add(one.asker)
        return people, spelled

    def _spelling(self, term: str, spelled: dict[str, set[str]]) -> str:
        """The one that most askers use; the term itself if not enough of them share any."""
        word = min(spelled, key=lambda word: (-len(spelled[word]), word))
        return word if len(spelled[word]) >= self._needed else term


def _bare(word: str) -> str:
    """Without the marks around it."""
    while word and not word[0].isalnum():
        word = word[1:]
    while word and not word[-1].isalnum():
        word = word[:-1]
    return word
