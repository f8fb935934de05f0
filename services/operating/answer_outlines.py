"""Answers as operators may list them: when, what became of it, how long it took, and the id that leads to its trace."""

from datetime import datetime
from typing import Any

from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.answers.sent_outlines import Position
from vouch.errors import BadInput

SHOWN = 50                              # on a page


def answer_outlines(ledger: Ledger, before: str) -> dict[str, Any]:
    """The newest `answers`, or the newest of those made before the place `before`, and the place where the `next` ones
    begin, empty at the end. No words of question or answer, and nothing of who asked. Raises BadInput."""
    found = ledger.sent_outlines.list(SHOWN + 1, _position(before) if before else None)
    rows = [{"id": one.id, "at": one.at.isoformat(), "action": one.action.replace("_", " "),
             "verdict": one.verdict or "", "seconds": None if one.ms is None else round(one.ms / 1000, 1)}
            for one in found[:SHOWN]]
    last = found[SHOWN - 1] if len(found) > SHOWN else None
    return {"answers": rows, "next": f"{last.at.isoformat()}/{last.id}" if last else ""}


def _position(told: str) -> Position:
    moment, _, name = told.partition("/")
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None or not name or "\x00" in name:
        raise BadInput("that is no place in this list", cure="open the list again")
    return at, name
