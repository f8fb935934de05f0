"""What a question joins that could not be taken apart: "When is a receipt due and the company's IPO?".

One passage may well answer all of it, as with "a desk and a chair", so it is not searched for by itself: what answers
has to hold its words.
"""

import re
from collections.abc import Iterator, Sequence

from vouch.correction.planning.questions import begins_as_question
from vouch.documents.chunk import model_input
from vouch.ports.models import Analyse
from vouch.values.candidate import Passage

_HELD = 0.5                             # of the words of what is joined; more are enough
_SENTENCE = re.compile(r"[.?!;:—–]\s")
_JOIN = re.compile(r",?\s(?:and|as\swell\sas|plus)\s|\s[&+/]\s", re.IGNORECASE)
_ENDS = re.compile(r"[,;?!]")
_ASKS_FOR = re.compile(
    r"(?:please\s|also\s|just\s){0,2}+(?:I\s(?:need|want)|tell|explain|give|show|list|name|say|describe|find|the)\s",
    re.IGNORECASE)
_ASIDE = re.compile(r"\s(?:if|when|unless|while|because|that|who|which|where|since)\s", re.IGNORECASE)


def not_held(question: str, passages: Sequence[Passage], analyse: Analyse) -> list[str]:
    """What is joined whose words stand in none of the passages; nothing where there are none."""
    held = [set(analyse(model_input(one.section, f"{one.title}\n{one.text}", one.header))) for one in passages]
    return [text for text in joined_in(question) if (terms := set(analyse(text))) and held
            and max(len(terms & one) for one in held) <= len(terms) * _HELD]


def joined_in(question: str) -> list[str]:
    """What follows each joining word of what asks, without what is said in a clause beside it."""
    return [text for sentence in _SENTENCE.split(question) for text in _tails(sentence.strip())]


def _tails(sentence: str) -> Iterator[str]:
    if not (begins_as_question(sentence) or _ASKS_FOR.match(sentence)):
        return
    aside = _ASIDE.search(sentence)
    joins = [one for one in _JOIN.finditer(sentence) if aside is None or one.start() < aside.start()]
    starts = [one.start() for one in joins]
    for join, end in zip(joins, [*starts[1:], len(sentence)], strict=False):
        yield _ENDS.split(sentence[join.end() : end])[0].strip(" .")
