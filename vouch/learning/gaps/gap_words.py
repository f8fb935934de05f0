"""Words that say nothing of what a question is about, and words that are slips of the pen of others."""

import unicodedata
from collections.abc import Sequence

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
