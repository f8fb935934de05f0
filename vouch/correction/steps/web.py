"""Further searches of the web for a question that takes steps, by planners that see nothing but the web."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from vouch.correction.components import Components, Outside
from vouch.correction.planning.limits import Limits, within
from vouch.correction.planning.order import (
    LONGEST_QUERY,
    WEB,
    InvalidOrder,
    Order,
    WebArgs,
    call_name,
    read_order,
    written,
)
from vouch.correction.planning.parts import parts_of
from vouch.correction.steps.failures import tell_failure
from vouch.correction.steps.ordering import ordered
from vouch.correction.steps.trajectory import TWICE, OrderedBy, OrderSaid, StepTaken
from vouch.documents.chunk import plain
from vouch.documents.orders import calm_sentences
from vouch.documents.text.capitals import CAPITALS
from vouch.errors import TimedOut, WebDown
from vouch.ports.models import Analyse
from vouch.ports.web import Found, WebPlanner, WebSituation
from vouch.retrieval.injections import without_orders
from vouch.values.candidate import Candidate, Passage

MOST_FOUND = 1000                       # passages of one search; notes of it, too
READ = 2000                             # characters of a page's passage
MOST_NAMES = 3
_NAME = re.compile(rf"\b[{CAPITALS}][\w&’'-]*(?: [{CAPITALS}0-9][\w&’'-]*){{0,3}}")


class RuleWebPlanner:
    """Implements ports.WebPlanner. It counts nothing over the documents: how rare a word is in them tells of them."""

    name = "rules of the web"

    def __init__(self, analyse: Analyse, *, is_one: bool = True) -> None:
        """Not `is_one`: earlier questions complete this one, and have been answered."""
        self._analyse, self._is_one = analyse, is_one

    def next_query(self, situation: WebSituation, problem: str = "") -> str:
        """A part that no page holds the words of; then a bridge from the nearest page; then it is done.

        Never wrong in its form, so `problem` is of no use to it.
        """
        asked = {self._form(query) for query in situation.asked}
        parts = [part.text for part in parts_of(situation.question)] if self._is_one else [situation.question]
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
        whole = plain(page.text[:READ])
        text = " ".join(calm_sentences(whole))
        held, asked = set(self._analyse(f"{page.title} {text}")), set(self._analyse(question))
        lacks = [word for word in question.split() if (terms := self._analyse(word)) and not held.issuperset(terms)]
        names = dict.fromkeys(one.group(0) for one in _NAME.finditer(text))
        new = [name for name in names if (terms := self._analyse(name)) and asked.isdisjoint(terms)][:MOST_NAMES]
        return " ".join((*lacks, *new)).strip(" ,.?;")[:LONGEST_QUERY] if lacks and new else ""


FAILED = "the web was not used: "


@dataclass(slots=True)
class WebWalk:
    """What the web gave to all searches, in order, and the steps beyond the first of them."""

    passages: list[Passage]
    notes: list[str]
    steps: list[StepTaken] = field(default_factory=list)
    orders: list[OrderSaid] = field(default_factory=list)


def further_on_the_web(
    question: str, steps: int, first: Found, outside: Outside, c: Components, is_one: bool = True
) -> WebWalk:
    """What is sent is a function of the question, of what the web gave, and of settings, once the web is asked.

    No verdict, no passage of the documents and nothing that was counted over
    them takes part, not even in when it ends.
    """
    walk = WebWalk(list(first.passages), list(first.notes))
    rules = RuleWebPlanner(c.analyser.terms, is_one=is_one)
    walker = _Walker(question, c.web_planner or rules, rules, outside, c.steps)
    walker.run(walk, min(steps, c.steps.steps, c.steps.web_searches) - c.steps.web_taken)
    return walk


class _Walker:
    def __init__(
        self, question: str, planner: WebPlanner, rules: WebPlanner, outside: Outside, limits: Limits
    ) -> None:  # fmt: skip
        self._question, self._planner, self._rules, self._outside = question, planner, rules, outside
        self._limits = limits
        self._until = time.monotonic() + limits.web_seconds

    def run(self, walk: WebWalk, most: int) -> None:
        asked = [self._question]
        while len(walk.steps) < most and self._left() > 0:
            found = self._ordered(walk, asked, most - len(walk.steps))
            if found is None or self._left() <= 0:
                return
            args, thought, by = found
            asked.append(args.query)
            if not self._take(walk, args, thought, by):
                return

    def _left(self) -> float:
        return self._until - time.monotonic()

    def _ordered(self, walk: WebWalk, asked: Sequence[str], left: int) -> tuple[WebArgs, str, OrderedBy] | None:
        """None: nothing more is to be looked for."""
        situation = WebSituation(self._question, self._harmless(walk.passages), tuple(asked), left)
        number = len(walk.steps) + 1
        found = ordered(
            self._planner, self._rules, lambda planner, problem: self._said(planner, situation, problem),
            lambda by, error, problem: walk.orders.append(OrderSaid(number, by, error=error, problem=problem)),
        )
        if found is None:
            return None
        order, by = found
        if isinstance(order.args, WebArgs):
            return order.args, order.thought, by
        walk.orders.append(OrderSaid(number, by, order.thought, ends=order.ends))
        return None

    def _said(self, planner: WebPlanner, situation: WebSituation, problem: str) -> Order:
        """Raises InvalidOrder for one that cannot be used, or was made before."""
        said = within(self._left(), lambda: planner.next_query(situation, problem))
        if not isinstance(said, str):
            raise InvalidOrder("the order is no text")
        order = read_order(said, WEB)
        if isinstance(order.args, WebArgs):
            made = {call_name("web", WebArgs(query=query[:LONGEST_QUERY])) for query in situation.asked}
            if call_name("web", order.args) in made:
                raise InvalidOrder(TWICE)
        return order

    def _take(self, walk: WebWalk, args: WebArgs, thought: str, by: OrderedBy) -> bool:
        began = time.monotonic()
        found, error = asked_of_the_web(self._outside, args.query, self._left())
        if error:
            walk.notes += found.notes
        known = {passage.chunk_id for passage in walk.passages}
        new = [passage for passage in found.passages if passage.chunk_id not in known]
        walk.passages += new
        ms = round((time.monotonic() - began) * 1000, 2)
        walk.steps.append(StepTaken(len(walk.steps) + 1, "web", args, by, thought, ms, error,
                                    tuple(Candidate(passage) for passage in new)))
        return not error

    def _harmless(self, passages: Sequence[Passage]) -> tuple[Passage, ...]:
        """Without the sentences that give orders to a model."""
        kept, _ = without_orders([Candidate(one) for one in passages], 0)
        return tuple(one.passage for one in kept)


def asked_of_the_web(outside: Outside, query: str, seconds: float | None = None) -> tuple[Found, str]:
    """What its search gives, and a label of what failed; then the result is empty, with a note for readers.

    Nothing of the search gets out but words of vouch: it is somebody's plug-in. Without `seconds` it keeps its own.
    """
    try:
        return within(seconds, lambda: _checked(outside.search.passages(query, outside.passages))) or Found(), ""
    except (WebDown, TimedOut) as down:
        return Found(notes=(FAILED + down.cause,)), type(down).__name__
    except Exception as failed:
        tell_failure("web", failed)
        return Found(notes=(f"{FAILED}it failed",)), "failed"


def _checked(found: object) -> Found:
    """Raises TypeError for what is no result of a search of the web; None is one without passages."""
    if found is None:
        return Found()
    if not isinstance(found, Found):
        raise TypeError(type(found).__name__)
    passages, notes = tuple(islice(found.passages, MOST_FOUND + 1)), tuple(islice(found.notes, MOST_FOUND + 1))
    if len(passages) > MOST_FOUND or len(notes) > MOST_FOUND or not all(_is_external(one) for one in passages):
        raise TypeError(type(found).__name__)
    return Found(passages, notes)


def _is_external(passage: object) -> bool:
    return isinstance(passage, Passage) and passage.origin == "external"
