"""Abbreviations as the visible documents define them: "paid time off (PTO)", "PTO stands for paid time off"."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated, ClassVar

from pydantic import Field

from vouch.documents.chunk import plain
from vouch.messages import LONGEST_QUESTION
from vouch.retrieval.question.query import form_query
from vouch.retrieval.recipe.step import Bench, Made, Phase, Search, Step
from vouch.values.candidate import Candidate

_SHORT = r"[A-Z][A-Z0-9&/-]{1,7}s?"
_LONG = r"[A-Za-z][\w'’-]{0,30}+(?: [A-Za-z&][\w'’-]{0,30}+){0,8}+"
_AFTER = re.compile(rf"\b(?P<long>{_LONG}) ?\((?:the )?[\"“']?(?P<short>{_SHORT})[\"”']?\)")
_BEFORE = re.compile(rf"\b(?P<short>{_SHORT}) ?\((?P<long>{_LONG})\)")
_SAID = re.compile(rf"\b(?P<short>{_SHORT}),? (?:stands for|is short for|means|abbreviates) (?P<long>{_LONG})")
_ASKED = re.compile(r"[A-Za-z][A-Za-z0-9&/-]{1,7}")
_PARTED = re.compile(r"[^\w-]+")
_SMALL = frozenset(["a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"])
_CURLED = str.maketrans("“”’", "\"\"'")


class Abbreviations(Step):
    """Puts the long form beside each abbreviation of the question, and the abbreviation beside each long form."""

    name: ClassVar[str] = "abbreviations"
    phase: ClassVar[Phase] = "retrieve"
    look: Annotated[int, Field(ge=1, le=200, description="Passages that are looked through for definitions.")] = 30

    def run(self, search: Search, bench: Bench) -> Search:
        asked = search.query.text
        wanted = [word for word in dict.fromkeys(_ASKED.findall(asked)) if _may_be_short(word)]
        looked = [bench.models.analyser.terms(word) for word in wanted]
        hits = [hit.chunk_id for terms in (*looked, search.query.terms) if terms
                for hit in bench.view.lexical(terms, self.look)]
        passages = [passage for passage in bench.view.passages(list(dict.fromkeys(hits))) if not passage.injection]
        known, said_in = _defined([Candidate(passage) for passage in passages])
        added, used = dict[str, str](), list[Candidate]()
        for short, long in sorted(known.items()):
            there = _in(short, asked, exact=short.lower() not in {word.lower() for word in wanted})
            if there != _in(long, asked):       # with both, nothing is to be added
                added[short] = long if there else short
                used += said_in[short]
        text = " ".join((asked, *added.values()))
        if not added or len(text) > LONGEST_QUESTION:
            return search
        query = replace(form_query(text, bench.models.analyser), lists=search.query.lists)
        rewrite = Made(self.name, "the documents' own definitions", tuple(f"{k}: {known[k]}" for k in added))
        return replace(search, query=query, made=(*search.made, rewrite), words_of=(*search.words_of, *used))


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """Each abbreviation that the text defines, in capitals without a plural s, with its long form in small letters."""
    text = " ".join(text.translate(_CURLED).split())
    for match in chain(_AFTER.finditer(text), _BEFORE.finditer(text), _SAID.finditer(text)):
        short = match["short"].removesuffix("s")
        long = _long_form(short, match["long"].split(), from_end=match.re is _AFTER)
        if long:
            yield short, long.lower()


def _long_form(short: str, words: Sequence[str], *, from_end: bool) -> str:
    """The words whose first letters it is made of, small words skipped or not; empty if it is of none."""
    letters = [c.lower() for c in short if c.isalnum()]
    sizes = range(2, min(len(words), len(letters) + 3) + 1)
    for size in sizes:
        some = words[-size:] if from_end else words[:size]
        parts = [part for word in some for part in word.split("-") if part]
        initials = [part[0].lower() for part in parts]
        without = [part[0].lower() for part in parts if part.lower() not in _SMALL]
        if letters in (initials, without) and some[0].lower() not in _SMALL:
            return " ".join(some)
    return ""


def _defined(candidates: Sequence[Candidate]) -> tuple[dict[str, str], dict[str, list[Candidate]]]:
    """The long form that most passages give each, ties by its letters, and all that define it: each had a say."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    said_in: dict[str, list[Candidate]] = defaultdict(list)
    for one in candidates:
        for short, long in sorted(set(definitions(plain(one.passage.text)))):
            votes[short][long] += 1
            said_in[short].append(one)
    return {short: min(forms, key=lambda form: (-forms[form], form)) for short, forms in votes.items()}, said_in


def _may_be_short(word: str) -> bool:
    """In capitals, or of so few letters that somebody may have typed it in small ones."""
    return word.isupper() or (len(word) <= 4 and word.lower() not in _SMALL)


def _in(words: str, text: str, *, exact: bool = False) -> bool:
    """Side by side in the text, the last with a plural s or without; `exact`: in the same letters."""
    text, words = (" ".join(_PARTED.split(one if exact else one.lower())) for one in (text, words))
    return any(f" {words}{plural} " in f" {text} " for plural in ("", "s"))
