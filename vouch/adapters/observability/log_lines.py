"""Log lines on standard error, as text or JSON. From level info on they hold no words of questions or documents."""

import logging
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal

from vouch.adapters.printable import json_line, printable
from vouch.errors import VouchError
from vouch.trace import current_request, current_trace

_TELLS_SETTINGS = "kafka.admin.client"
_TELLS_ADDRESSES = ("httpx", "httpx2", "httpcore", "httpcore2")    # of every request, at info
_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def write_log_lines(level: str, form: Literal["text", "json"]) -> None:
    """From now on, unless something else writes them already."""
    handler = logging.StreamHandler()
    open_hearted = level == "debug"
    handler.setFormatter(JsonLines(open_hearted) if form == "json" else TextLines(open_hearted))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.getLogger(_TELLS_SETTINGS).setLevel(logging.INFO)          # at debug, with the password among them
    if not open_hearted:                # to it each look for a broker that is away is an error; we say so once
        logging.getLogger("kafka").setLevel(logging.CRITICAL)
        for name in _TELLS_ADDRESSES:
            logging.getLogger(name).setLevel(logging.WARNING)


class TextLines(logging.Formatter):
    """Of errors that are not ours it shows the place and the class; with `whole` also their words."""

    def __init__(self, whole: bool) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")
        self._whole = whole

    def format(self, record: logging.LogRecord) -> str:
        record.exc_text = None          # another handler's formatter may have left its own there
        try:
            return printable(super().format(record))
        finally:
            record.exc_text = None

    def formatException(self, ei: _Raised) -> str:  # noqa: N802
        return super().formatException(ei) if self._whole else "\n".join(frames(ei[1]))


class JsonLines(logging.Formatter):
    """One object a line: time, level, logger, message, inside of one trace and request, of an error class and place."""

    def __init__(self, whole: bool) -> None:
        super().__init__()
        self._whole = whole

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if trace := current_trace():
            line["trace"] = trace
        if request := current_request():
            line["request"] = request
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line["error"] = type(error).__name__
            line["places"] = self.formatException(record.exc_info).splitlines() if self._whole else frames(error)
        return json_line(line)


def frames(error: BaseException | None) -> list[str]:
    """Where it was raised, outermost first, and its class; the words of our own errors too, and those alone."""
    if error is None:
        return []
    places = [f"{one.filename}:{one.lineno} {one.name}" for one in traceback.extract_tb(error.__traceback__)]
    return [*places, f"{type(error).__name__}: {error}" if isinstance(error, VouchError) else type(error).__name__]
