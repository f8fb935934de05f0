"""One order of a planner, over the documents or the web: repaired once, and then that of the rules."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from vouch.correction.planning.order import InvalidOrder, Order
from vouch.correction.steps.failures import tell_failure
from vouch.correction.steps.trajectory import NOT_FOUND, TWICE, OrderedBy

NOT_VALID = "order not valid"


class Named(Protocol):
    @property
    def name(self) -> str: ...


P = TypeVar("P", bound=Named)
Refused = Callable[[OrderedBy, str, str], None]
"""Notes an order that led to no step: by whom, a label of the error, and what was wrong with it."""


def ordered(planner: P, rules: P, said: Callable[[P, str], Order], refused: Refused) -> tuple[Order, OrderedBy] | None:
    """The planner's order, or after one repair that of the rules, and whose it is. None if not even theirs serves.

    `said` is given the planner and what was wrong before. A planner that gives none, as its model is away or late, is
    asked again with the next step alone.
    """
    problem, failed = "", False
    own = () if planner is rules else (planner, planner)
    for one in (*own, rules):
        if failed and one is not rules:
            continue
        by = OrderedBy(one.name, one is rules)
        try:
            return said(one, problem), by
        except InvalidOrder as error:
            problem = error.cause
            refused(by, *((problem, "") if problem in (TWICE, NOT_FOUND) else (NOT_VALID, problem)))
        except Exception as error:      # a planner is somebody's plug-in
            failed = True
            refused(by, type(error).__name__, "")
            tell_failure(one.name, error)
    return None
