"""The home folder: the one place where vouch keeps state, readable by its owner alone."""

import logging
import os
import stat
from pathlib import Path

from vouch.errors import Unavailable

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_STATE = ("ledger.sqlite", "log.sqlite", "parts", "segments", "versions", "processes")
_log = logging.getLogger(__name__)


def open_home(path: Path) -> Path:
    """`path` as an existing folder that its owner alone may enter. What this process makes is its owner's alone.

    One that is there already and that others may enter is closed to them, if
    it is empty or holds vouch's state; any other folder may have another use,
    and is left as it is, with a warning. Raises Unavailable with what to do.
    """
    os.umask(0o077)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & _OTHERS:
            _close(path, mode)
    except OSError as error:
        raise Unavailable(
            f"the home folder {path} cannot be made: {error.strerror}", cure="set VOUCH_HOME to a folder you may write"
        ) from error
    return path


def _close(path: Path, mode: int) -> None:
    held = {entry.name for entry in path.iterdir()}
    if path.stat().st_uid == os.geteuid() and (not held or not held.isdisjoint(_STATE)):
        path.chmod(mode & ~_OTHERS)
    else:
        _log.warning("other users can open the home folder %s: chmod 700 it, or set VOUCH_HOME to another folder", path)
