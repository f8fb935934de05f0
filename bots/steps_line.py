"""One line on the further steps of an answer, for whoever reads it."""

from collections.abc import Mapping, Sequence
from typing import Any

from vouch.plurals import count

_BECAUSE = {
    "covered": "there is evidence for all that was asked",
    "final": "the planner had enough",
    "stop": "there was nothing more to try",
    "budget": "that is as far as it may go",
    "error": "something failed",
}
_NOT_ALL = "for each part that was searched for there is a passage that may answer it"
_NOT_SURE = "for each part there is a passage that may answer it"


def steps_line(answer: Mapping[str, Any], shown: Sequence[str] = ()) -> str:
    """Empty where none were to be taken, or where the `shown` warnings say already why they ended."""
    from vouch.answering.answer import tells_end

    stopped, taken = answer.get("stopped") or "", len(answer.get("steps") or ())
    why = "" if any(map(tells_end, shown)) else _BECAUSE.get(stopped)
    if stopped == "covered" and answer.get("open_parts"):
        why = _NOT_ALL
    elif stopped == "covered" and answer.get("action", "answered") != "answered":
        why = _NOT_SURE
    return f"{count(taken, 'further step') if taken else 'no further step'}: {why}" if why else ""
