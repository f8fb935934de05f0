"""A child process that matches repetitions of patterns' own words, longer and longer, and says which cost too much.

Run it: python -m patterns.grow SAMPLE [PATTERN]. A text that takes LIMIT_S ends the process, with status 1 and
the last line naming the pattern, whatever holds the interpreter's lock.
"""

import faulthandler
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from patterns.automaton import C, _inner, parser
from patterns.found import every_pattern

SIZE = 40_000                           # longer than any bound in a pattern; ten times a question
LITTLE_S = 0.04                         # of processor time: what is not linear takes more for SIZE
LIMIT_S = 20.0
Use = Callable[[str], object]


def words_of(pattern: re.Pattern[str]) -> list[str]:
    """The literal runs of the pattern, and some of what its sets take."""
    found: dict[str, None] = dict.fromkeys([" ", "a", "1", ".", "\n", "aa ", "-"])

    def walk(items: Any) -> None:
        run = ""
        for operation, argument in [*items, (None, None)]:
            if operation is C.LITERAL:
                run += chr(argument)
                continue
            if run:
                found[run] = found[run + " "] = None
            run = ""
            if operation is C.IN:
                found.update(dict.fromkeys(chr(value) for one, value in argument[:40] if one is C.LITERAL))
            for inner in _inner(operation, argument) if operation else []:
                walk(inner)

    walk(parser.parse(pattern.pattern, pattern.flags))
    return list(found)


@dataclass(frozen=True)
class Row:
    """`unit` over and over between two ends. To grow is to have more of it: four such texts in a row prove nothing."""

    before: str
    unit: str
    end: str

    def text(self, size: int) -> str:
        return self.before + self.unit * (size // len(self.unit)) + self.end


def rows(words: list[str], sample: int) -> Iterator[Row]:
    """Of some words, and of that many pairs and triples of words, with and without other ends."""
    chance = random.Random(20261122)
    joined = ["".join(chance.choices(words, k=chance.choice((2, 2, 3)))) for _ in range(sample)]
    units = chance.sample(words, min(len(words), 7 + sample)) + joined
    for unit in units:
        for before, end in (("", ""), ("", "!?x\0"), (chance.choice(words), chance.choice(words))):
            yield Row(before, unit, end)


def used(pattern: re.Pattern[str], way: str) -> Use:
    """On text or, for a pattern of bytes, on its bytes in Latin-1."""
    def given(text: str) -> Any:
        return text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")

    if way == "scan":
        return lambda text: sum(1 for _ in pattern.finditer(given(text)))
    return lambda text: getattr(pattern, way)(given(text))


def grows(use: Use, row: Row) -> bool:
    """Whether four times the row takes much more than four times as long; sixteen times is what squares take."""
    text, longer = row.text(SIZE), row.text(4 * SIZE)
    if _took(use, text) < LITTLE_S:
        return False
    once = min(_took(use, text) for _ in range(3))
    return min(_took(use, longer) for _ in range(2)) > 9 * once


def _took(use: Use, text: str) -> float:
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    began = time.process_time()
    use(text)
    spent = time.process_time() - began
    faulthandler.cancel_dump_traceback_later()
    return spent


def _product() -> Iterator[tuple[str, list[str], Use]]:
    from vouch.answering.disarming import _ADDRESS, disarm
    from vouch.answering.verification.numbers import numbers, unsupported
    from vouch.answering.verification.quantities import _NUMBER
    from vouch.documents.chunk import _LINK, plain
    from vouch.retrieval.question.listing import _FORMS, listed

    for found in every_pattern():
        for way in found.ways:
            yield f"{found} {way}", words_of(found.pattern), used(found.pattern, way)
    please = [word for form in _FORMS for word in words_of(form)]
    yield "listed", list(dict.fromkeys(please)), listed
    yield "disarm", [*words_of(_ADDRESS), "[", "](", ")", "](b)", "[a](b)"], lambda text: disarm(text, text)
    yield "numbers", [*words_of(_NUMBER), "1,", "1.000", "5 days", "-5", "$5", "to", "and a half"], numbers
    yield "unsupported", ["1 ", "-5", "5 days ", "half a ", "5-"], lambda text: unsupported(text, text)
    yield "plain", [*words_of(_LINK), "*", "_", "`", "<a", "#", "![a]("], plain


def main(sample: int, planted: str = "") -> None:
    one = re.compile(planted or "x", re.IGNORECASE)
    for name, words, use in [("planted", words_of(one), used(one, "scan"))] if planted else _product():
        print(name, flush=True)
        for row in rows(words, sample):
            if grows(use, row):
                print(f"GROWS {name} over {row.text(60)!r}", flush=True)
                break


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
