"""The home folder, readable by its owner alone, and secrets that are kept there."""

import logging
import os
import secrets
import stat
import time
from pathlib import Path

from vouch.errors import Damaged, Unavailable

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


_BYTES = 32
_LOOKS, _LOOK_S = 50, 0.02


def kept_secret(path: Path) -> bytes:
    """The secret in the file, drawn now if there is none. Raises Damaged for a file that holds another thing."""
    try:
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            return _read(path)
        drawn = secrets.token_bytes(_BYTES)
        try:
            os.write(handle, drawn)
            os.fsync(handle)
        finally:
            os.close(handle)
        return drawn
    except OSError as error:
        raise Unavailable(f"the secret {path} cannot be read: {error.strerror}", cure="check who owns it") from error


def _read(path: Path) -> bytes:
    """Another process may be just writing it."""
    for _ in range(_LOOKS):
        found = path.read_bytes()
        if len(found) == _BYTES:
            return found
        time.sleep(_LOOK_S)
    raise Damaged(f"{path} holds no secret", cure="delete it; a new one is drawn")
