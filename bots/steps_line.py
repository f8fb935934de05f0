"""One line on the further steps of an answer, for whoever reads it."""

from collections.abc import Mapping
from typing import Any

from vouch.plurals import count

_BECAUSE = {
    "covered": "there is evidence for all that was asked",
    "final": "there was nothing more to try",
    "budget": "that is as far as it may go",
    "error": "something failed",
}


def steps_line(answer: Mapping[str, Any]) -> str:
    """Empty where none were to be taken."""
    why = _BECAUSE.get(answer.get("stopped") or "")
    taken = len(answer.get("steps") or ())
    return f"{count(taken, 'further step') if taken else 'no further step'}: {why}" if why else ""
