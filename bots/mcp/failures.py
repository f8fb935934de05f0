"""What an assistant is told of an error: no more than its person may know."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from vouch.errors import BadInput, Denied, Guarded, NotFound, Overloaded, Unidentified, Usage, VouchError

T = TypeVar("T")
INSIDE = "something failed inside vouch; try again in a moment"
_TOLD = (BadInput, Denied, Guarded, NotFound, Overloaded, Unidentified, Usage)
_log = logging.getLogger(__name__)


def told(error: VouchError) -> str:
    """What failed inside may name hidden documents: it is told as a failure alone."""
    if not is_told(error):
        return INSIDE
    return f"{error.cause} ({error.cure})" if error.cure else error.cause


def is_told(error: VouchError) -> bool:
    """Whether it is the request's fault, and not ours."""
    return isinstance(error, _TOLD)


async def done(work: Awaitable[T], failure: Callable[[VouchError], Exception]) -> T:
    """What comes of the work. Raises `failure` of a VouchError, whose words the assistant is told."""
    try:
        return await work
    except VouchError as error:
        if not is_told(error):
            _log.warning("mcp: %s: %s", type(error).__name__, error)
        raise failure(error) from None
