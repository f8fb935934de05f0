"""What failed in a step, in a line of the log."""

import logging
import traceback

from vouch.errors import VouchError

_log = logging.getLogger(__name__)


def tell_failure(what: str, error: Exception) -> None:
    """The place of a bug, and never the message of an error: it may hold words of a question or a document."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?"
    level = logging.INFO if isinstance(error, VouchError) else logging.ERROR
    _log.log(level, "a step by %s failed: %s at %s", what, type(error).__name__, where)
