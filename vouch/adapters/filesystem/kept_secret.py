"""A secret that is drawn once and kept in a file of its owner alone."""

import os
import secrets
import time
from pathlib import Path

from vouch.errors import Damaged, Unavailable

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
