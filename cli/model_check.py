"""vouch models check: is a model that serves worse than the one before it?"""

from typing import TYPE_CHECKING

from bots.wrapping import Line
from cli.activity import waiting
from cli.output import Json, emit, say, say_wrapped
from cli.table import table

if TYPE_CHECKING:
    from flows.monitoring.model_guard import Checked

EPILOG = "Example: vouch models check"


def check(as_json: Json = False) -> None:
    """Compare each promoted model with the one before it; put that one back if the new one is worse.

    Compared are votes, declines, confidence and the share of answers with a
    citation. VOUCH_GUARD__… say how often a model that is not worse may be put
    back, and whether it is. The flow `guard models` does the same every hour.
    """
    with waiting("comparing"):
        from cli.wiring.guarding import check_models

        found = check_models()
    for one in found:
        emit(one.row()) if as_json else _show(one)
    if not found and not as_json:
        say("no promoted model is there to be compared with the one before it")


def _show(one: "Checked") -> None:
    head = Line(one.outcome, "bad" if one.outcome in ("worse", "put back", "cannot be checked") else "good")
    say_wrapped(head, one.told.removeprefix(one.outcome))
    table(["figure", "before", "of", "since", "of", "may fall to", "evidence"],
          [(limit.figure, f"{limit.before:.3f}", limit.values_before, f"{limit.since:.3f}", limit.values_since,
            f"{limit.least:.3f}", f"{limit.evidence:.3g} of {1 / limit.error:.0f}") for limit in one.limits],
          empty="neither model has answers to compare")
