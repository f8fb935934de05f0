"""Several questions in one: where one ends and the next begins, by their form."""

import re
from itertools import pairwise

from vouch.documents.text.capitals import CAPITALS

_LEAST_WORDS = 2                        # of a question
_BE, _DO, _HAVE = "is|are|was|were|am", "do|does|did", "has|have|had"
_MODAL = "can|could|may|might|must|shall|should|will|would"
_VERB = f"{_BE}|{_DO}|{_HAVE}|{_MODAL}"
_WORD = r"(?:what|when|where|who|whom|whose|which|why|how)(?:['’](?:s|re|d|ll|ve))?"
_BEFORE = r"(?:(?:by|for|to|in|at|with|from|through|until|till|since|of|on|about|under|within|after|before)\s)?"
_PRONOUN = r"(?:I|you|he|she|it|we|they|there|this|that|these|those|everyone|everybody|anyone|anybody|someone)\b"
_THE = r"(?:the|a|an|my|your|our|his|her|its|their|any|all|each|every|some|no|both)\s"
_NO_NOUN = (
    r"(?!(?:not|never|always|also|still|only|so|to|on|in|at|for|of|with|from|by|under|about|over|as|than|less|perhaps|"
    r"thus|been|being|one|due)\b|\w{1,30}(?:ed|ing|ly)\b)"
)
_TELLS = (
    r"(?:tell|show|give)\s(?:me|us)\s|(?:say|explain|tell|list|name|describe)\s"
    rf"{_WORD}\s|compare\s(?:{_THE}|\w+\s(?:with|to|and)\s)"
)
_CUT = re.compile(
    r"[?;]\s|(?P<join>,?\s(?:and|or|as\swell\sas|plus)\s|\s[&/+]\s)(?:also\s|then\s|please\s|if\s(?:so|not),?\s)?"
    rf"(?=(?P<verb>{_VERB}|need)\s|{_BEFORE}{_WORD}\s|{_TELLS})", re.IGNORECASE,
)  # fmt: skip
_OF_ONE = re.compile(rf"\w+\s{_PRONOUN}", re.IGNORECASE)
_OF_A_THING = re.compile(
    rf"(?:{_MODAL})\s{_THE}|(?:{_BE}|{_DO})\s{_THE}\S+\s\S|"
    rf"(?:{_HAVE})\s(?:{_THE})?(?:\S{{1,30}}\s){{1,4}}?(?:been|\w{{2,20}}ed)\b", re.IGNORECASE)
_OF_A_NAME = re.compile(rf"[a-z]+\s[{CAPITALS}]")
_OF_SOMETHING = re.compile(
    rf"(?:{_BE}|{_DO})\s{_NO_NOUN}\w+\s\w|(?:{_MODAL}|{_HAVE})\s{_NO_NOUN}\w+s\s\w", re.IGNORECASE)
"""Of whom a verb asks, the surest first: "and is it paid", not "and is paid"."""
_SUBJECT = 200                          # characters after a joining word in which it stands
_COMMA = re.compile(
    rf",\s(?=(?:what|why|how|when|where|who)(?:['’]\w+)?\s|(?:{_VERB})\s)", re.IGNORECASE)
_SURE_COMMA = re.compile(
    rf"[,.]\s(?=(?:what|why|how)(?:['’]\w+)?\s|(?:when|where)\s(?:{_VERB})\s|(?:{_VERB})\s{_PRONOUN})", re.IGNORECASE)
"""And not "Ana, who is new"."""
_ASKED = re.compile(
    rf"{_BEFORE}(?:what|who|whom|whose|which|how|(?:when|where|why)(?:['’]|\s(?:{_VERB})))(?:['’]\w+)?\s|(?:{_VERB})\s",
    re.IGNORECASE)
"""How a question begins, and not "when I am ill"."""
_NUMBER = re.compile(r"(?:^|\s)\(?([1-9])[.)]\s")
_OPENS = re.compile(r"\s(?:if|when|unless|while|because|that|who|which|whose|where)\s", re.IGNORECASE)
_LEADS = re.compile(
    rf"(?:if|when|while|once|unless|after|before|because|since|as|where)\s(?!(?:{_VERB})\s)[^,]*$", re.IGNORECASE)
_TURNED = re.compile(rf"\s(?:(?:{_VERB})\s{_PRONOUN}|{_WORD}\s)", re.IGNORECASE)
_PAIR = re.compile(r"\b(?:between|compare|both|either)\s", re.IGNORECASE)
_PAIRED = re.compile(r"\s(?:and|or|with|to|versus|vs\.?)\s", re.IGNORECASE)
_DECIDES = re.compile(rf"(?:{_VERB})\s", re.IGNORECASE)
_POLITE = re.compile(
    r"(?:many\s)?(?:thanks|thank\syou|thx|cheers|please|hello|hi|hey)"
    r"(?:,?\s(?:a\slot|so\smuch|very\smuch|in\sadvance|again|all|everyone|there|for\s(?:your|the|any)\s\w{1,20}))*",
    re.IGNORECASE,
)
"""What asks for nothing."""


def questions_in(text: str) -> list[str]:
    """"Who approves it, how long does it take and what is needed": a comma parts questions only where "and" does, or
    where the words on both sides of it can be nothing else."""
    pieces = [piece for numbered in _numbered(text) for piece in _pieces(numbered)]
    if len(pieces) > 1:
        pieces = [one for piece in pieces for one in _enumerated(piece, _COMMA)]
    pieces = [one for piece in pieces for one in _enumerated(piece, _SURE_COMMA)]
    found = [piece.strip(" ,.?;") for piece in pieces]
    found = list(dict.fromkeys(piece for piece in found if piece and not _POLITE.fullmatch(piece.rstrip(" !"))))
    return found if all(len(piece.split()) >= _LEAST_WORDS for piece in found) else []


def begins_as_question(text: str) -> bool:
    return bool(_ASKED.match(text))


def _pieces(text: str) -> list[str]:
    pieces, start = [], 0
    for cut in _CUT.finditer(text):
        if not _is_inside(text[start : cut.start()], cut):
            pieces.append(text[start : cut.start()])
            start = cut.end()
    return [*pieces, text[start:]]


def _is_inside(before: str, cut: re.Match[str]) -> bool:
    """Whether a joining word joins less than questions: two sides of a pair, or verbs of one clause."""
    if not cut["join"]:
        return False
    if (pairs := list(_PAIR.finditer(before))) and not _PAIRED.search(before, pairs[-1].end()):
        return True
    if not cut["verb"]:
        return False
    leading = _LEADS.match(before)
    return bool((leading and not _TURNED.search(before)) or not _has_subject(before, cut))


def _has_subject(before: str, cut: re.Match[str]) -> bool:
    after = cut.string[cut.end() : cut.end() + _SUBJECT]
    if _OF_ONE.match(after):            # "is it closed or is it extended" asks for one of them
        return not (cut["join"].strip(" ,").casefold() == "or" and _DECIDES.match(before))
    if cut["verb"].casefold() == "need":
        return False
    if _OF_A_THING.match(after) or _OF_A_NAME.match(after):
        return True
    return bool(_OF_SOMETHING.match(after)) and not _OPENS.search(before, before.rfind(",") + 1)


def _numbered(text: str) -> list[str]:
    """"1) … 2) …": each by itself."""
    marks = list(_NUMBER.finditer(text))
    if len(marks) < 2 or [mark[1] for mark in marks] != [str(n) for n in range(1, len(marks) + 1)]:
        return [text]
    ends = [(one.end(), next_one.start()) for one, next_one in pairwise(marks)]
    return [text[: marks[0].start()], *(text[start:end] for start, end in ends), text[marks[-1].end() :]]


def _enumerated(piece: str, comma: re.Pattern[str]) -> list[str]:
    found = comma.split(piece)
    return found if all(_ASKED.match(one) for one in found) else [piece]
