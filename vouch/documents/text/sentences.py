"""Sentences of Markdown or plain text, as exact character ranges.

Lines decide first: a heading, a list item, a table row and a line of code
each stand alone; other lines flow together until a blank one. Inside such a
unit a full stop ends a sentence unless it belongs to an abbreviation, an
initial, code or a link.
"""

import re
from collections.abc import Iterator

_LINE = re.compile(r"[^\n]+")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)*")
_HEADING = re.compile(r"#{1,6}(?=\s)[ \t]*")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦▪·]|(?P<number>\d{1,3})[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_ROW = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[\s|:=_*~`+>-]*\Z")
_BREAK = re.compile(r"[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*\Z")     # between paragraphs, though it may look like an item
_UNDER = re.compile(r"[-=]+[ \t]*\Z")         # a heading, if no blank line is between
_EDGES = " \t\r\f\v|"

# Long runs of one mark are looked at once, from their beginning: hence (?<!…) and ++.
_STOP = re.compile(
    r"(?P<mark>(?<![.!?…])[.!?…]++|(?<![。！？｡])[。！？｡]++)(?P<close>(?:[\"'”’»」』）)\]*_]|\[\^?\w{1,8}\])*)(?P<gap>\s+|(?<=[。！？｡」』）])(?=\S)|\Z)"
)
_KEPT = re.compile(r"(?<!`)(`++)(?:(?!\1).){1,500}\1|\[[^\]\[]{1,500}\]\([^()\s]{0,1000}\)|<[^<>\s]{1,500}>", re.DOTALL)
_OPENERS = "\"'“‘«([{*_~—–-<"
_WORD_BEFORE = re.compile(r"(?<![\w.&'’-])[\w.&'’-]*+\Z")
_WORD_AFTER = re.compile(r"[^\W_]+(?:['’]\w+)?")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never the end of a sentence.
_BOUND = _words(
    "mr mrs ms mx dr prof rev hon gen col maj capt lt sgt gov sen rep pres messrs mme mlle st mt ft e.g i.e eg ie cf "
    "vs viz al ca approx resp incl excl esp ave blvd rd"
)
# Not the end when a number follows.
_BEFORE_NUMBER = _words(
    "no nos nr fig figs eq eqs sec secs sect ch chap vol vols pp p pt art ex tab ver v para cl "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
# The end only when the next word usually begins a sentence.
_EITHER = _words(
    "etc inc ltd co corp llc bros dept univ assn est jr sr ph.d m.d b.a m.a d.c a.m p.m u.s u.k"
)
_STARTERS = _words(
    "a after all also although an and another any as at because before both but by during each every few for from he "
    "her here his how however i if in instead is it its later many most my no not now of on once one only or other our "
    "please several she since so some such that the their then there these they this those though through to under "
    "unless until use we what when where whether which while who why with without yes you your"
)


def sentence_spans(text: str, *, in_list: bool = False, wordless: bool = False) -> list[tuple[int, int]]:
    """Ranges of the sentences, in order, without surrounding whitespace; `in_list` if a list is going on at the start.

    Every word lies in exactly one range; list markers, heading marks, outer
    table bars, fences and rules lie in none. With `wordless` a paragraph or an
    item of signs alone, such as "* ...", is a range as well.
    """
    spans: list[tuple[int, int]] = []
    for start, end, prose in _units(text, in_list):
        if any(c.isalnum() for c in text[start:end]):
            spans.extend(_split(text, start, end) if prose else [(start, end)])
        elif wordless and prose:
            spans.append((start, end))
    return spans


def _units(text: str, in_list: bool) -> Iterator[tuple[int, int, bool]]:
    """(start, end, prose) of the runs of lines that belong together; trimmed, never empty."""
    fence, start, end, prose = "", -1, -1, True
    previous_end = 0
    for line in _LINE.finditer(text):
        at, stop = line.span()
        blank_before = text.count("\n", previous_end, at) > 1
        previous_end = stop
        mark = _FENCE.match(text, at, stop)
        closes = mark is not None and (not fence or mark[1].startswith(fence))
        body = _QUOTE.match(text, at, stop)
        at = body.end() if body and body.end() > at and not fence else at
        item = None if fence else _ITEM.match(text, at, stop)
        rule = (_BREAK.match(text, at, stop) if item else _RULE.match(text, at, stop)) is not None
        alone = bool(fence) or closes or rule
        if item and item["number"] not in (None, "1") and not (start < 0 or in_list or blank_before):
            item = None                 # a wrapped line that happens to begin with a number
        heading = None if fence else _HEADING.match(text, at, stop)
        row = not fence and _ROW.match(text, at, stop) is not None
        if start >= 0 and (blank_before or alone or item or heading or row):
            yield from _trim(text, start, end, prose)
            start = -1
        if blank_before and not (item or text[at : at + 1] in " \t"):
            in_list = False
        if closes and mark is not None:
            fence = "" if fence else mark[1]
        elif alone or heading or row:
            words = not (fence or row) and (not rule or _is_text(text, at, stop, alone=blank_before))
            yield from _trim(text, heading.end() if heading else at, stop, words)
        elif start < 0 or item:
            start, prose = (item.end() if item else at), True
            in_list = in_list or item is not None
            end = stop
        else:
            end = stop
    if start >= 0:
        yield from _trim(text, start, end, prose)


def _is_text(text: str, start: int, end: int, *, alone: bool) -> bool:
    """Whether a line of signs is none that parts paragraphs or makes a heading of the line before it."""
    return not (_BREAK.match(text, start, end) or (not alone and _UNDER.match(text, start, end)))


def _trim(text: str, start: int, end: int, prose: bool) -> Iterator[tuple[int, int, bool]]:
    piece = text[start:end]
    edges = None if prose else _EDGES
    start, end = end - len(piece.lstrip(edges)), start + len(piece.rstrip(edges))
    if start < end:
        yield start, end, prose


def _split(text: str, start: int, end: int) -> list[tuple[int, int]]:
    kept_spans = [m.span() for m in _KEPT.finditer(text, start, end)]
    spans: list[tuple[int, int]] = []
    begin, k, seen, words = start, 0, start, False
    for stop in _STOP.finditer(text, start, end):
        at = stop.start("mark")
        while k < len(kept_spans) and kept_spans[k][1] <= at:
            k += 1
        if k < len(kept_spans) and kept_spans[k][0] <= at:
            continue
        close, after = stop.end("close"), stop.end()
        words = words or any(c.isalnum() for c in text[seen:close])
        seen = max(seen, close)
        if words and after < end and _ends(text, begin, stop, end):
            spans.append((begin, close))
            begin, words = after, False
    if words or any(c.isalnum() for c in text[seen:end]):
        spans.append((begin, end))
    elif spans:
        spans[-1] = (spans[-1][0], end)
    return spans


def _ends(text: str, begin: int, stop: re.Match[str], end: int) -> bool:
    """Whether the mark ends a sentence, given what stands before and after it."""
    if stop["mark"][0] in "。！？｡":
        return True
    first, marked = stop.end(), False
    while first < end and text[first] in _OPENERS:
        first, marked = first + 1, True
    if first >= end:
        return False
    letter = text[first]
    next_word = _WORD_AFTER.match(text, first, end)
    starter = next_word is not None and letter.isupper() and next_word[0].lower() in _STARTERS
    opens = letter == "`" or letter.isupper() or letter.isdigit() or not (letter.islower() or letter in ",;:)/&%")
    if stop["mark"] != ".":
        return opens and not (letter.islower() and marked)
    before = _WORD_BEFORE.search(text[max(begin, stop.start() - 40) : stop.start()])
    word = (before[0] if before else "").strip(".'’-&").lower()
    if word in _BOUND or (word in _BEFORE_NUMBER and letter.isdigit()):
        return False
    raw = (before[0] if before else "").lstrip("'’-&")
    if word in _EITHER or _DOTTED.fullmatch(raw) or (len(raw) == 1 and raw.isupper()):
        return starter or bool(stop["close"])
    return opens
