"""Snowball analyser: text into index terms, the same for documents and questions.

A word gives its stem; a compound (camelCase, snake_case, dotted, letters and
digits) gives itself and its parts, so that either finds it; Chinese, Japanese
and Korean runs give their pairs of characters.
"""

import hashlib
import re
import threading
import unicodedata
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

_RULES = 1                              # raise when any rule below changes
_LONGEST = 64                           # characters; longer words are blobs, not words
_MOST_PARTS = 12                        # a word of more parts is a hash or key: kept whole only
_CACHED = 200_000

_STOP_WORDS = """
    a about after again all also am an and any are as at be because been before being between both but by can
    could did do does doing done during each for from further had has have having he her here hers him his how i if
    in into is it its itself just let may me might more most must my no nor not of off on once only or other our
    ours out over own same shall she should so some such than that the their theirs them then there these they this
    those through to too under until up upon very was we were what when where which while who whom whose why will
    with would you your yours
    aren't can't cannot couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll i'd i'll i'm i've isn't it'd
    it'll let's mustn't shan't she'd she'll shouldn't they'd they'll they're they've wasn't we'd we'll we're we've
    weren't what're who'd who'll won't wouldn't you'd you'll you're you've
    arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt werent wont wouldnt
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_FOLDED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŋ": "n"}
)
_PLAINED = {0x2019: "'", 0x2018: "'", 0x02BC: "'", 0x00AD: None, 0x200B: None, 0x200C: None, 0x200D: None,
            0x2060: None, 0xFEFF: None}
_CJK = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_JOINTS = re.compile(r"[._']+")
_ACRONYMS = re.compile(r"[b-df-hj-np-tv-xz]{3,}(?<!s)s")      # Snowball wants a vowel: pdfs would stay
_ASCII_LETTERS = re.compile(r"[a-z]+")


class SnowballAnalyser:
    """English rules over Unicode words. Safe to share between threads."""

    def __init__(self) -> None:
        import Stemmer

        self._stemmer: Any = Stemmer.Stemmer("english", 0)
        self._stemmer_version = str(Stemmer.version())
        self._lock = threading.Lock()   # a stemmer keeps state while it works
        self._known: dict[str, tuple[str, ...]] = {}

    @cached_property
    def fingerprint(self) -> str:
        rules = f"{_RULES} {unicodedata.unidata_version} {self._stemmer_version} {' '.join(sorted(STOP_WORDS))}"
        return "snowball-english:" + hashlib.sha256(rules.encode()).hexdigest()[:16]

    def terms(self, text: str) -> list[str]:
        """Terms in order, repeats kept, stop words left out; a compound's parts follow it."""
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text).translate(_PLAINED)
        if "," in text:
            text = _THOUSANDS.sub("", text)
        known = self._known
        all_terms: list[str] = []
        for word in _words().findall(text):
            terms = known.get(word)
            all_terms.extend(self._learn(word) if terms is None else terms)
        return all_terms

    def _learn(self, word: str) -> tuple[str, ...]:
        with self._lock:
            terms = tuple(self._analyse(word))
        if len(word) <= _LONGEST:
            if len(self._known) >= _CACHED:
                self._known = {}
            self._known[word] = terms
        return terms

    def _analyse(self, word: str) -> list[str]:
        terms: list[str] = []
        at = 0
        for run in _CJK.finditer(word):
            terms += self._word(word[at : run.start()])
            terms += _pairs(run.group())
            at = run.end()
        return terms + self._word(word[at:])

    def _word(self, word: str) -> list[str]:
        word = word.strip("_.'")[:_LONGEST]
        if word.lower().endswith("'s"):
            word = word[:-2]
        whole = _fold(word)
        if whole in STOP_WORDS or not any(map(str.isalnum, whole)):
            return []
        pieces = [piece for piece in _JOINTS.split(word) if piece]
        if len(pieces) > 1 and all(len(piece) == 1 for piece in pieces):
            return [self._stem("".join(map(_fold, pieces)))]          # U.S.A. is USA
        parts = [_fold(part) for piece in pieces for part in _parts(piece)]
        terms = [self._stem(whole.replace("'", ""))]
        if 1 < len(parts) <= _MOST_PARTS:
            terms += [self._stem(p) for p in parts if (len(p) > 1 or p.isdecimal()) and p not in STOP_WORDS]
        return terms

    def _stem(self, term: str) -> str:
        if _ACRONYMS.fullmatch(term):
            return term[:-1]
        return str(self._stemmer.stemWord(term)) if _ASCII_LETTERS.fullmatch(term) else term


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    # `\w` leaves out combining marks, which are inside words of many scripts.
    marks = "".join(chr(c) for c in range(0x300, 0x10000) if unicodedata.category(chr(c)) in ("Mn", "Mc"))
    letter = rf"[\w{marks}]"
    return re.compile(rf"(?<!\w)[A-Za-z](?:\+\+|#)(?![\w+#])|{letter}+(?:[.'](?=\w){letter}+)*")


def _fold(word: str) -> str:
    """Lower case; Latin letters without their marks, all others whole."""
    if word.isascii():
        return word.lower()
    kept: list[str] = []
    for char in unicodedata.normalize("NFD", word.casefold()):
        if not (unicodedata.combining(char) and kept and kept[-1].isascii()):
            kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept)).translate(_FOLDED)


def _parts(word: str) -> list[str]:
    """`word` cut between letters and digits and at capitals: getHTTPCode2 is get, HTTP, Code, 2."""
    parts: list[str] = []
    start = 0
    for i in range(1, len(word)):
        if _border(word, i):
            parts.append(word[start:i])
            start = i
    parts.append(word[start:])
    return parts


def _border(word: str, i: int) -> bool:
    before, here = word[i - 1], word[i]
    if here.isdecimal() or before.isdecimal():
        return here.isdecimal() != before.isdecimal()
    if not here.isupper():
        return False
    if before.islower():
        return True
    after = word[i + 1 : i + 2]
    plural = after == "s" and len(word) == i + 2      # PDFs is one word
    return before.isupper() and after.islower() and not plural


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


def porter() -> Callable[[str], str]:
    """Porter's of 1980, for English. Not to be shared between threads."""
    import Stemmer

    stemmer = Stemmer.Stemmer("porter")
    return lambda word: str(stemmer.stemWord(word))
