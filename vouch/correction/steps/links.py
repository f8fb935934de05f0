"""Which quotations of an answer belong together, and which words of its question they lack.

Passages on two teams are not the links of a chain: what one quotation says has to name what another is about.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from vouch.documents.chunk import model_input
from vouch.documents.text.capitals import CAPITALS
from vouch.ports.models import Analyse
from vouch.values.candidate import Passage

Quotation = tuple[Passage, int, int]    # and a range of its text
_SIGNS = ".,;:?!()[]\"“”'"
_NAME = re.compile(rf"(?<![\w’'-])[{CAPITALS}0-9][\w&’'-]*")
_WORDS = """
please tell me us know find give show say explain name names named called person people somebody someone anybody anyone
today currently current now right exactly exact actually also many much long often far kind there here
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
    asked = [word for word in question.split() if word.strip(_SIGNS).casefold() not in _ASKING]
    known = set(analyse(question))
    groups = _groups(quotations, lambda text: {term for name in _NAME.findall(text) for term in analyse(name)} - known)
    held = [set().union(*(terms_of(one, analyse) for one in group)) for group in groups]
    return min((lacked(asked, terms, analyse) for terms in held), key=len, default=lacked(asked, (), analyse))


def terms_of(quotation: Quotation, analyse: Analyse) -> set[str]:
    """Of its words, the title and the headings; the names of columns say nothing of who stands in a row."""
    passage, start, end = quotation
    return set(analyse(model_input(passage.section, f"{passage.title}\n{passage.text[start:end]}")))


def _groups(quotations: Sequence[Quotation], names: Callable[[str], set[str]]) -> list[list[Quotation]]:
    """Two are in one group if they are of one passage or share a name that the question does not have."""
    groups: list[tuple[set[str], list[Quotation]]] = []
    for one in quotations:
        passage, start, end = one
        shared = names("\n".join((passage.title, *passage.section, passage.text[start:end])))
        shared.add(f"\0{passage.chunk_id}")
        near = [group for group in groups if not shared.isdisjoint(group[0])]
        groups = [group for group in groups if group not in near]
        groups.append((shared.union(*(group[0] for group in near)), [*(q for group in near for q in group[1]), one]))
    return [group for _, group in groups]
