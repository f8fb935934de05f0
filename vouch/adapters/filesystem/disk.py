"""How much room the home has left."""

import shutil
from pathlib import Path

from vouch.errors import Unavailable

ENOUGH_BYTES = 500_000_000


def probe_disk(home: Path) -> str:
    """The free space on the disk of `home`. Raises Unavailable where it is too little to go on with."""
    try:
        free = shutil.disk_usage(home).free
    except OSError as error:
        raise Unavailable(f"{home}: {error.strerror}", cure="bring it back") from error
    if free < ENOUGH_BYTES:
        raise Unavailable(f"{home} has {free // 1_000_000} MB left", cure="free some disk space")
    return f"{free // 1_000_000_000} GB free"
