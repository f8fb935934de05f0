"""Entities: the names, numbers and quoted words of a question, searched for by themselves as well."""

import re
from dataclasses import replace
from itertools import chain
from typing import ClassVar

from vouch.retrieval.query import form_query
from vouch.retrieval.recipe.step import Bench, Made, Phase, Search, Step

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
        made = Made(self.name, "rules", tuple(found))
        return replace(search, beside=(*search.beside, query), made=(*search.made, made))


def entities(text: str) -> list[str]:
    """Each once, in the order of the text."""
    found: dict[tuple[int, int], str] = {}
    for match in chain(_QUOTED.finditer(text), _NAME.finditer(text), _NUMBER.finditer(text)):
        start, end = match.span()
        if not any(a < end and start < b for a, b in found):
            found[start, end] = match[match.lastindex or 0].strip(".-'’&")
    return list(dict.fromkeys(found[place] for place in sorted(found)))
