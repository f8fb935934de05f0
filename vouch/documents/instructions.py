"""Tells text that gives orders to a language model (prompt injection) from text for people.

By fixed phrases (`order_phrases`), in time linear in the text, and from the text alone. A
strong phrase decides by itself. Weak ones are such as people write to one
another, too; two different ones together decide. Nothing here stops a
determined writer: it keeps the known forms out of answers and names the
documents that hold them.
"""

import re
import unicodedata
from urllib.parse import unquote

from vouch.documents.order_phrases import FINAL, STRONG, STRONG_TO_A_PLANNER, WEAK, WEAK_TO_A_PLANNER, Family
from vouch.documents.text.legible import legible

_ENOUGH_WEAK = 2
_MOST_MARKS = 4                         # above and below one letter
_MARKS = re.compile(r"[*_~`\\]")
_LINE_START = re.compile(r"(?:^|\n)[ \t>#|+\-]*")
_SPACE = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_UNSEEN = re.compile(
    "[\u0300-\u036f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0100-\U000e01ef]"
)
_BREAKS = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029", " "))
_TAGS = {0xE0000 + code: chr(code) for code in range(32, 127)}      # letters that cannot be seen and models can read
_TWINS = str.maketrans(                 # letters that look like Latin ones, and what joins words
    "АВЕКМНОРСТУХІЈЅаекмортсухіјѕԁһԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεηικνορτυχγωıɪɢɴʀᴏᴇᴀʙᴄᴅʜᴊᴋʟᴍᴘᴛᴜᴠᴡʏᴢꜱꜰ-_\u2010\u2011",
    "ABEKMHOPCTYXIJSaekmoptcyxijsdhqwlABEZHIKMNOPTYXaenikvoptuxywiignroeabcdhjklmptuvwyzsf    ",
)
_SIGNS = str.maketrans({"’": "'", "‘": "'"})

_JOINTS = str.maketrans("/._-+", "     ")

_Rules = tuple[tuple[tuple[str, ...], tuple[re.Pattern[str], ...]], ...]


def _compiled(families: tuple[Family, ...]) -> _Rules:
    return tuple((tuple(words.split("|")), tuple(map(re.compile, patterns))) for words, patterns in families)


_STRONG_RULES, _PLANNER_RULES, _WEAK_RULES, _WEAK_PLANNER_RULES = map(
    _compiled, (STRONG, STRONG_TO_A_PLANNER, WEAK, WEAK_TO_A_PLANNER))


_SAYS_FINAL = re.compile(rf"\W{{0,9}}{FINAL}\W{{0,9}}")
_MAY_SAY_FINAL = r"(?:^|(?<=[.!?] ))[^\w\n]{0,9}final[^\w\n]{1,9}yes[^\w\n]{0,9}\n"
FINAL_LINE = re.compile(_MAY_SAY_FINAL, re.IGNORECASE | re.MULTILINE)
"""A line of nothing else, which may have no full stop; whether it is an order is told by `is_order`."""
_Form = tuple[str, str]                 # with its lines, and flowing


def orders_a_model(text: str) -> bool:
    """Whether `text` reads as orders to a language model that is given it, or to what plans searches."""
    forms = _forms(text)
    if any(_holds(forms, words, patterns) for words, patterns in (*_STRONG_RULES, *_PLANNER_RULES)):
        return True
    weak = 0
    for words, patterns in _WEAK_RULES:
        weak += _holds(forms, words, patterns)
        if weak == _ENOUGH_WEAK:
            return True
    return False


def is_order(sentence: str) -> bool:
    """Whether a sentence of a passage that holds orders is one of them, by its own words."""
    return orders_a_model(sentence) or any(_SAYS_FINAL.fullmatch(flowing) for _, flowing in _forms(sentence))


def orders_a_planner(text: str) -> bool:
    """Whether `text` holds orders to what plans searches, such as nobody gives to people."""
    forms = _forms(text)
    return any(_holds(forms, words, patterns) for words, patterns in _PLANNER_RULES)


def named(path: str) -> str:
    """The words of a path, as somebody reads them who is told it."""
    return unquote(path).translate(_JOINTS)


def may_order_a_model(text: str) -> bool:
    """Whether `text` has any phrase of such orders, or of orders to what plans searches, be it one that people write
    to one another too."""
    rules = (*_STRONG_RULES, *_PLANNER_RULES, *_WEAK_RULES, *_WEAK_PLANNER_RULES)
    forms = _forms(text)
    return any(_holds(forms, words, patterns) for words, patterns in rules)


def _forms(text: str) -> list[_Form]:
    """As it is read, and as it would be with letters for their Latin twins and blanks for hyphens.

    What nobody sees is left out, also where it breaks a line, and once not, where only models see it.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _few_marks(text.translate(_SIGNS)))
    seen = map(_seen, {text, text.translate(_BREAKS), text.translate(_TAGS)})
    forms = sorted({_normal(form) for one in seen for form in (one, one.translate(_TWINS))})
    return [(lines, f" {' '.join(lines.split())} ") for lines in forms]


def _few_marks(text: str) -> str:
    """Four in a row at most: putting them in order takes time by the square of a row."""
    kept, row = list[str](), 0
    for char in text:
        row = row + 1 if unicodedata.combining(char) else 0
        if row <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def _seen(text: str) -> str:
    """Nearly every text is printable, which is looked at in a hundredth of the time."""
    printable = text.replace("\n", "").replace("\t", "").isprintable()
    return _UNSEEN.sub("", text if printable else legible(text))


def _holds(forms: list[_Form], words: tuple[str, ...], patterns: tuple[re.Pattern[str], ...]) -> bool:
    """A phrase may run over the end of a line, and may have to begin one."""
    return any(
        pattern.search(lines) or pattern.search(flowing)
        for lines, flowing in forms if any(word in flowing for word in words) for pattern in patterns
    )  # fmt: skip


def _normal(text: str) -> str:
    """Lower case without marks and layout; line ends stay."""
    text = _LINE_START.sub("\n", _MARKS.sub("", text.casefold()))
    return _SPACE.sub(" ", text).replace(" \n", "\n").strip()
