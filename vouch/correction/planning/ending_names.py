"""Two names joined by "and" at the end of a question: one thing or two, as what was found says.

"Who leads Merlin and Osprey?" has the form of "Who leads Research and Development?".
"""

import re
from collections.abc import Sequence

from vouch.values.candidate import Passage

MOST_WORDS = 3                          # of a name
_LEAST_SHARED = 2                       # words before the names
_TOGETHER = frozenset({
    "a", "against", "among", "an", "as", "between", "both", "from", "in", "include", "includes", "into", "like", "of",
    "than", "the", "through", "to", "with",
})  # fmt: skip
"""Words after which the two are mostly asked for together, as in "the wedding of Ana and Ben", or are examples."""
_WORD = re.compile(r"\w+")


def by_ending_names(question: str, found: Sequence[Passage]) -> list[str]:
    """The question with each name alone; nothing where it does not end so, where a passage has both side by side, or
    where none has one of them."""
    parted = ending_names(question)
    if parted is None:
        return []
    shared, *names = parted
    said = [f" {_words(' '.join((one.title, *one.section, one.text)))} " for one in found]
    together = tuple(f" {_words(joint.join(names)).casefold()} " for joint in (" and ", " "))
    joined = any(one in text.casefold() for text in said for one in together)
    known = all(any(f" {_words(name)} " in text for text in said) for name in names)
    return [f"{shared} {name}" for name in names] if known and not joined else []


def ending_names(question: str) -> tuple[str, str, str] | None:
    """The words before them, and the two names."""
    begins, _, last = question.rstrip(" ?.!").rpartition(" and ")
    words, second = begins.split(), last.split()
    at = next((n for n in range(len(words), 0, -1) if not _is_of_a_name(words[n - 1])), 0)
    first, shared = words[at:], words[:at]
    if not all(0 < len(name) <= MOST_WORDS for name in (first, second)) or not all(map(_is_of_a_name, second)):
        return None
    if len(shared) < _LEAST_SHARED or shared[-1].casefold() in _TOGETHER or not shared[-1].isalpha():
        return None
    return " ".join(shared), " ".join(first), " ".join(second)


def _is_of_a_name(word: str) -> bool:
    return word[0].isupper() and word.isalnum()


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text))
