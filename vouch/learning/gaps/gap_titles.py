"""What a gap is called: words that many askers use, no function words, no slips of the pen."""

import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Protocol

from vouch.ports.models import Analyse

_LEAST = 5                              # letters; shorter words are near one another by chance
_FOREIGN_SHARE = 0.2

# The commonest function words of some languages, without accents; none that is an English word or a usual abbreviation.
_FUNCTION_WORDS = """
    der das dem den des ein eine einen einem einer eines und oder aber ich wir ihr sie mein meine meinen unser unsere
    wie wo wann warum wer welche welcher welches kann konnen muss mussen ist sind wird werden habe haben nicht kein
    keine fur von zum zur bei auf aus nach uber wenn dass auch noch gibt bekomme
    le la les une du et ou mais je nous vous il elle mon mes notre nos votre vos comment quand pourquoi qui quel quelle
    quels quelles puis peut est sont avoir faire pas avec dans chez ce cette ces que quoi faut
    los las una unos unas pero yo mis nuestro nuestra como donde cuando cual cuales quien puedo puede debo esta estan
    tengo hacer para por del
    gli uno mio mia nostro nostra quando perche chi quale quali posso devo sono ho avere della dei
    het een en ik wij ons onze waar wanneer waarom welke moet zijn heb hebben niet geen voor bij naar
    uma eu meu minha nosso nossa onde quem qual quais devo sao tenho fazer nao pelo
"""
_KNOWN = frozenset(_FUNCTION_WORDS.split())


def is_function_word(word: str) -> bool:
    """Of a language other than English, whose own the analyser leaves out. `word` has no capitals."""
    plain = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in plain if not unicodedata.combining(letter)) in _KNOWN


def looks_foreign(words: Sequence[str]) -> bool:
    """Whether many of these words belong to another language than English, which is the one the models know."""
    strange = sum(not word.isascii() or is_function_word(word) for word in words)
    return strange > 0 and strange >= _FOREIGN_SHARE * len(words)


def one_slip_apart(word: str, other: str) -> bool:
    """Whether one letter more, less or other, or two that changed places, make one word of the other.

    Only of longer words made of letters: numbers and names with digits mean what they say.
    """
    if word == other or min(len(word), len(other)) < _LEAST or not (word.isalpha() and other.isalpha()):
        return False
    shorter = min(len(word), len(other))
    same = next((n for n in range(shorter) if word[n] != other[n]), shorter)
    rest, others = word[same:], other[same:]
    return (
        rest[1:] == others[1:]
        or rest[1:] == others
        or rest == others[1:]
        or (rest[:2] == others[:2][::-1] and rest[2:] == others[2:])
    )


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

    def __init__(self, everything: Sequence[Said], terms: Analyse, askers: int) -> None:
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

        ranked = sorted(_no_slips(shared, spelled), key=lambda term: (-telling(term), term))
        words = (self._spelling(term, spelled[term]) for term in ranked)
        return tuple(dict.fromkeys(words))[:_MOST]

    def is_language_alone(self, asked: Sequence[Said]) -> bool:
        """Whether no two askers share a word but those of their language, and that is one the models do not know.

        Such questions are alike to the models whatever they are about.
        """
        foreign = {one.asker for one in asked if looks_foreign([_bare(word) for word in one.text.split()])}
        if 2 * len(foreign) <= len({one.asker for one in asked}):
            return False
        return all(len(users) < 2 for users in self._people(asked)[0].values())

    def _people(self, asked: Sequence[Said]) -> tuple[dict[str, set[str]], dict[str, dict[str, set[str]]]]:
        """By term who used it, and by term and spelling."""
        people: dict[str, set[str]] = {}
        spelled: dict[str, dict[str, set[str]]] = {}
        for one in asked:
            for word in filter(lambda word: not is_function_word(word), map(_bare, one.text.split())):
                for term in self._terms(word):
                    people.setdefault(term, set()).add(one.asker)
                    spelled.setdefault(term, {}).setdefault(word, set()).add(one.asker)
        return people, spelled

    def _spelling(self, term: str, spelled: dict[str, set[str]]) -> str:
        """The one that most askers use; the term itself if not enough of them share any."""
        word = _commonest(spelled)
        return word if len(spelled[word]) >= self._needed else term


def _no_slips(shared: Mapping[str, int], spelled: Mapping[str, Mapping[str, set[str]]]) -> list[str]:
    """Without the words that are a slip away from one that more people used in its place."""
    words = {term: _commonest(spelled[term]) for term in shared}
    return [term for term, users in shared.items()
            if not any(users < more and one_slip_apart(words[term], words[other]) for other, more in shared.items())]


def _commonest(spelled: Mapping[str, set[str]]) -> str:
    return min(spelled, key=lambda word: (-len(spelled[word]), word))


def _bare(word: str) -> str:
    """Without the marks around it."""
    while word and not word[0].isalnum():
        word = word[1:]
    while word and not word[-1].isalnum():
        word = word[:-1]
    return word
