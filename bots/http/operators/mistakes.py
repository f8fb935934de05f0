"""What an operator did wrong is told on the page with the form, with what was filled in, and not on another one."""

from typing import Any

from bots.http.problems import status_of
from vouch.errors import BadInput, Busy, Conflict, Guarded, NotFound, Usage, VouchError

MISTAKES = (BadInput, Busy, Conflict, Guarded, NotFound, Usage)


def refusal(error: VouchError) -> dict[str, Any]:
    """For the page: its status, and why in words."""
    return {"status": 409 if isinstance(error, Guarded) else status_of(error), "refused": str(error)}
