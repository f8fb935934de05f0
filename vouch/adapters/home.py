"""The home folder: the one place where vouch keeps state, readable by its owner alone."""

from pathlib import Path

from vouch.errors import Unavailable


def open_home(path: Path) -> Path:
    """`path` as an existing folder with mode 0700 if it is new. Raises Unavailable with what to do."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"the home folder {path} cannot be made: {error.strerror}", cure="set VOUCH_HOME to a folder you may write"
        ) from error
    return path
