"""Filters that a question names: a source, a path, a day since when its documents must have changed."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar

from pydantic import ValidationError

from vouch.filters import Filters
from vouch.ports.index import View
from vouch.retrieval.question.query import form_query
from vouch.retrieval.recipe.step import Bench, Phase, Search, Step
from vouch.values.candidate import Candidate

_MOST_SOURCES = 50
_LAST = "\U0010ffff"                    # sorts behind every path
_NAMED = re.compile(r"(?<!\S)(source|path|after):(\S+)")
_PARTED = re.compile(r"[^\w-]+")
_BEFORE = (" in ", " in the ", " in our ", " from ", " from the ", " from our ")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")
_SINCE = re.compile(
    r"\b(?:since|after)\s+(?:(?P<iso>\d{4}-\d\d-\d\d)\b|"
    rf"(?:(?:(?P<day>\d{{1,2}})\s+)?(?P<month>{'|'.join(_MONTHS)})\s+)?"
    r"(?P<year>(?:19|20)\d\d)\b)", re.IGNORECASE,
)


class FilterNamed(Step):
    """Narrows the search by what the question names: `source:`, `path:`, `after:`, a source's name, a date."""

    name: ClassVar[str] = "filters"
    phase: ClassVar[Phase] = "retrieve"

    def run(self, search: Search, bench: Bench) -> Search:
        filters, text = constraints(search.query.text, visible_sources(bench.view))
        if not filters:
            return search
        query = search.query
        if text and text != query.text:
            query = replace(form_query(text, bench.models.analyser), lists=query.lists)
        return replace(search, query=query, filters=filters)


def constraints(text: str, sources: Sequence[str]) -> tuple[Filters, str]:
    """What the text names of them, and the text without those that are no words of a question."""
    told: dict[str, str] = dict(_NAMED.findall(text))
    after = _day(told.get("after", "")) or _since(text)
    source = told.get("source") or _source(text, sources)
    try:
        filters = Filters(sources=(source,) if source else None, paths=(told["path"],) if "path" in told else (),
                          after=after)
    except ValidationError:             # no path, or no name: words like any others
        filters = Filters(after=after)
    return filters, " ".join(_NAMED.sub(" ", text).split())


def narrowed(found: Sequence[Candidate], filters: Filters) -> tuple[list[Candidate], str]:
    """Those that the filters leave, and what was done; all of them where they would leave none."""
    kept = [one for one in found if filters.places(one.passage.source, one.passage.path)
            and filters.dates(one.passage.changed_at)]
    if not kept:
        return list(found), f"left out, as nothing meets them: {filters.told()}"
    return [replace(one, fused_rank=rank) for rank, one in enumerate(kept, 1)], filters.told()


def visible_sources(view: View) -> list[str]:
    """Names of the sources with a document that the readers may see."""
    found: list[str] = []
    while len(found) < _MOST_SOURCES:
        following = view.documents((found[-1], _LAST) if found else ("", ""), 1)
        if not following:
            break
        found.append(following[0].source)
    return found


def _source(text: str, sources: Sequence[str]) -> str:
    """One that the text names after `in` or `from`, if it is the only one."""
    words = f" {' '.join(_PARTED.split(text.lower()))} "
    named = [one for one in sources for before in _BEFORE if f"{before}{one.lower()} " in words]
    return named[0] if len(named) == 1 else ""


def _since(text: str) -> date | None:
    found = _SINCE.search(text)
    if found is None:
        return None
    if found["iso"]:
        return _day(found["iso"])
    month = _MONTHS.index(found["month"].lower()) + 1 if found["month"] else 1
    return _day(f"{found['year']}-{month:02}-{int(found['day'] or 1):02}")


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
