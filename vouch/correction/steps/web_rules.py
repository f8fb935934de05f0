"""Plans what is looked for on the web: parts of the question in their own words, then names that its pages have."""

import re
from collections.abc import Callable

from vouch.correction.steps.order import LONGEST_QUERY, written
from vouch.correction.steps.parts import parts_of
from vouch.documents.chunk import plain
from vouch.ports.web_planner import WebSituation
from vouch.retrieval.candidate import Passage

READ = 2000                             # characters of a page's passage
MOST_NAMES = 3
_NAME = re.compile(r"\b[A-Z][\w&’'-]*(?: [A-Z0-9][\w&’'-]*){0,3}")


class RuleWebPlanner:
    """Implements ports.WebPlanner. It counts nothing over the documents: how rare a word is in them tells of them."""

    name = "rules of the web"

    def __init__(self, analyse: Callable[[str], list[str]]) -> None:
        self._analyse = analyse

    def next_query(self, situation: WebSituation) -> str:
        """A part that no page holds the words of; then a bridge from the nearest page; then it is done."""
        asked = {self._form(query) for query in situation.asked}
        parts = [part.text for part in parts_of(situation.question)]
        for text in parts[1:] if len(parts) == 1 else parts:
            if self._form(text) not in asked and not self._is_held(text, situation):
                return written("web", {"query": text[:LONGEST_QUERY]}, "a part in its own words")
        for page in situation.found:
            bridge = self._bridge(situation.question, page)
            if bridge and self._form(bridge) not in asked:
                return written("web", {"query": bridge}, "a bridge from a page of the web")
        return written(None, {}, "nothing is left to look for on the web")

    def _form(self, query: str) -> tuple[str, ...]:
        return tuple(sorted(set(self._analyse(query))))

    def _is_held(self, text: str, situation: WebSituation) -> bool:
        wanted = set(self._analyse(text))
        return any(wanted <= set(self._analyse(f"{one.title} {one.text}")) for one in situation.found)

    def _bridge(self, question: str, page: Passage) -> str:
        """What the page lacks of the question, with names in it that the question does not hold."""
        text = plain(page.text[:READ])
        held, asked = set(self._analyse(f"{page.title} {text}")), set(self._analyse(question))
        lacks = [word for word in question.split() if (terms := self._analyse(word)) and not held.issuperset(terms)]
        names = dict.fromkeys(one.group(0) for one in _NAME.finditer(text))
        new = [name for name in names if (terms := self._analyse(name)) and asked.isdisjoint(terms)][:MOST_NAMES]
        return " ".join((*lacks, *new)).strip(" ,.?;")[:LONGEST_QUERY] if lacks and new else ""
