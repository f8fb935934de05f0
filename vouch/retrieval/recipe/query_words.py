"""Steps on the words of a question: misspelled ones put right, names and numbers searched for alone."""

import re
import string
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Annotated, ClassVar

from pydantic import Field

from vouch.retrieval.question.query import form_query
from vouch.retrieval.recipe.step import Bench, Made, Phase, Search, Step
from vouch.values.candidate import Candidate
from vouch.values.made_by import RULES

_WORD = re.compile(r"(?<![\w'’.-])[a-z]{4,20}(?![\w'’-])|^[A-Z][a-z]{3,20}(?![\w'’-])")
"""Words in small letters, and the first. A name is not put right: what nobody wrote about stays so."""
_MOST = 5                               # words of a question that are looked at


class Spelling(Step):
    """Puts right what no visible passage holds, by one letter, to the word that most of them have."""

    name: ClassVar[str] = "spelling"
    phase: ClassVar[Phase] = "retrieve"
    least: Annotated[int, Field(ge=1, le=1000, description="Passages that must hold the word it is put right to.")] = 1

    def run(self, search: Search, bench: Bench) -> Search:
        terms, put = bench.models.analyser.terms, dict[str, str]()
        words = [match[0] for match in _WORD.finditer(search.query.text)]
        known = bench.view.statistics(search.query.terms).frequency
        strange = [word for word in dict.fromkeys(words)
                   if terms(word) and not any(known.get(term, 0) for term in terms(word))]
        for word in strange[:_MOST]:
            right = self._right(word.lower(), bench)
            if right:
                put[word] = right
        if not put:
            return search
        text = _WORD.sub(lambda match: put.get(match[0], match[0]), search.query.text)
        query = replace(form_query(text, bench.models.analyser), lists=search.query.lists)
        rewrite = Made(self.name, "the visible vocabulary", tuple(f"{word}: {right}" for word, right in put.items()))
        return replace(search, query=query, made=(*search.made, rewrite),
                       words_of=(*search.words_of, *(self._held(right, bench) for right in put.values())))

    @staticmethod
    def _held(word: str, bench: Bench) -> Candidate:
        """The first passage that has the word: as long as it may be read, the word may be told."""
        [hit] = bench.view.lexical(bench.models.analyser.terms(word), 1)
        return Candidate(bench.view.passages([hit.chunk_id])[0])

    def _right(self, word: str, bench: Bench) -> str:
        stems = {other: found[0] for other in one_letter_off(word)
                 if len(found := bench.models.analyser.terms(other)) == 1}
        rows = bench.view.statistics(sorted(set(stems.values()))).frequency
        likely = [(-rows[stem], other) for other, stem in stems.items() if rows.get(stem, 0) >= self.least]
        return min(likely)[1] if likely else ""


def one_letter_off(word: str) -> Iterator[str]:
    """All that it may have been meant as: a letter too many, too few, another one, or two that changed places."""
    for i in range(len(word) + 1):
        before, after = word[:i], word[i:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in string.ascii_lowercase:
            yield before + letter + after
            if after and after[0] != letter:
                yield before + letter + after[1:]


_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")
_NUMBER = re.compile(r"[$€£]?\d+(?:[.,:/-]\d+)*%?")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w&.'’-]*(?: [A-Z][\w&'’-]*)*|\b[A-Z]{2,}\w*")


class Entities(Step):
    """Searches for the names, numbers and quoted words of the question alone, too."""

    name: ClassVar[str] = "entities"
    phase: ClassVar[Phase] = "retrieve"

    def run(self, search: Search, bench: Bench) -> Search:
        found = [one for one in entities(search.asked.text) if bench.models.analyser.terms(one)]
        if not found:
            return search
        query = form_query(" ".join(found), bench.models.analyser)
        made = Made(self.name, RULES, tuple(found))
        return replace(search, beside=(*search.beside, query), made=(*search.made, made))


def entities(text: str) -> list[str]:
    """Each once, in the order of the text."""
    found: dict[tuple[int, int], str] = {}
    for match in chain(_QUOTED.finditer(text), _NAME.finditer(text), _NUMBER.finditer(text)):
        start, end = match.span()
        if not any(a < end and start < b for a, b in found):
            found[start, end] = match[match.lastindex or 0].strip(".-'’&")
    return list(dict.fromkeys(found[place] for place in sorted(found)))
