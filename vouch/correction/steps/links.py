"""Which quotations of an answer belong together, and which words of its question they lack.

Passages on two teams are not the links of a chain: what one quotation says has to name what another is about.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from vouch.documents.chunk import model_input
from vouch.documents.text.capitals import CAPITALS
from vouch.ports.models import Analyse
from vouch.values.candidate import Passage

Quotation = tuple[Passage, int, int]    # and a range of its text
_SIGNS = ".,;:?!()[]\"“”'"
_NAME = re.compile(rf"(?<![\w’'-])[{CAPITALS}][\w&’'-]*")
_FIRST_WORD = re.compile(r"\A\W*\w+")    # has a capital whatever it is
_WORDS = """
please tell me us know find give show say explain name names named called person people somebody someone anybody anyone
today currently current now right exactly exact actually also many much long often far kind there here company's
"""
_ASKING = frozenset(_WORDS.split())
"""By these people ask; what answers need not have them."""


def lacked(words: Iterable[str], held: Collection[str], analyse: Analyse) -> list[str]:
    """Each of the words once, without signs around it, that has a term which is not held."""
    bare = dict.fromkeys(word.strip(_SIGNS) for word in words)
    return [word for word in bare if not set(analyse(word)).issubset(held)]


def words_not_quoted(question: str, quotations: Sequence[Quotation], analyse: Analyse) -> list[str]:
    """Words of the question that stand in none of the quotations that belong together, or in the title and headings
    above them; of the group that lacks the fewest."""
    return nearest_group(question, quotations, analyse)[1]


def nearest_group(
    question: str, quotations: Sequence[Quotation], analyse: Analyse
) -> tuple[Sequence[Quotation], list[str]]:
    """The quotations that belong together and lack the fewest words of the question, and these words."""
    asked = [word for word in question.split() if has_to_stand(word, analyse)]

    def lacks(group: Sequence[Quotation]) -> list[str]:
        return lacked(asked, set().union(*(terms_of(one, analyse) for one in group)), analyse)

    groups = _groups(quotations, set(analyse(question)), analyse)
    return min(((group, lacks(group)) for group in groups), key=lambda pair: len(pair[1]), default=((), lacks(())))


def has_to_stand(word: str, analyse: Analyse) -> bool:
    """In what answers, and not only in what asks."""
    return word.strip(_SIGNS).casefold().replace("’", "'") not in _ASKING and bool(analyse(word))


def terms_of(quotation: Quotation, analyse: Analyse) -> set[str]:
    """Of its words, the title and the headings; the names of columns say nothing of who stands in a row."""
    passage, start, end = quotation
    return set(analyse(model_input(passage.section, f"{passage.title}\n{passage.text[start:end]}")))


def _groups(quotations: Sequence[Quotation], known: Collection[str], analyse: Analyse) -> list[list[Quotation]]:
    """Two are in one group if they are of one passage, or if what one says names what the other says or is headed by.

    Names are those that the question does not have. Equal headings join nothing: all of a handbook may have one.
    """
    groups: list[list[_Named]] = []
    for passage, start, end in quotations:
        said = _names(_FIRST_WORD.sub("", passage.text[start:end]), known, analyse)
        above = _names("\n".join((passage.title, *passage.section)), known, analyse)
        one = _Named((passage, start, end), said, above)
        near = [group for group in groups if any(one.belongs_to(other) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), one])
    return [[one.quotation for one in group] for group in groups]


@dataclass(frozen=True)
class _Named:
    """A quotation with the names that it says, and those above it."""

    quotation: Quotation
    said: frozenset[str]
    above: frozenset[str]

    def belongs_to(self, other: "_Named") -> bool:
        same = self.quotation[0].chunk_id == other.quotation[0].chunk_id
        names = (self.said & (other.said | other.above)) | (self.above & other.said)
        return same or bool(names)


def _names(text: str, known: Collection[str], analyse: Analyse) -> frozenset[str]:
    return frozenset(term for name in _NAME.findall(text) for term in analyse(name)).difference(known)
