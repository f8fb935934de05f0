"""Fetch: a known model by name, once; a download goes on where it stopped, only pinned bytes are kept."""

import fcntl
import hashlib
import http.client
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path

from vouch.adapters.models.fetching.convert import convert
from vouch.adapters.models.fetching.known import KNOWN, fetched_folder
from vouch.errors import BadInput, Busy, ModelDown, NotFound, Unavailable

Progress = Callable[[str, int, int], None]
TIMEOUT_S = 30.0                        # of silence
_BLOCK = 1 << 18
_MEGABYTE = 1_000_000


def download(address: str, file: Path, sha256: str, size: int, progress: Progress) -> None:
    """Afterwards `file` holds exactly the bytes of that digest.

    What came so far lies beside it as `.partial`, and is not asked for again.
    Raises ModelDown if the host does not give them, BadInput if it gives
    others, Busy while another process fetches the same.
    """
    partial = file.with_name(f"{file.name}.partial")
    with _alone(partial) as handle:
        have = handle.seek(0, 2)
        if have < size:
            try:
                _receive(address, handle, have, size, progress)
            except (OSError, http.client.HTTPException) as error:
                cure = "run it again: it goes on where it stopped; VOUCH_ENCODER__REPOSITORY names another host"
                raise ModelDown(f"{address} cannot be fetched: {_told(error)}", cure=cure) from error
        if handle.seek(0, 2) != size or _digest(handle) != sha256:
            partial.unlink()
            raise BadInput(
                f"{address} gave another file than the one that is known: its SHA-256 is not {sha256}",
                cure="run it again; if that does not help, name another host in VOUCH_ENCODER__REPOSITORY",
            )
        partial.replace(file)


@contextmanager
def _alone(partial: Path) -> Iterator[BufferedRandom]:
    with partial.open("a+b") as kept:
        try:
            fcntl.flock(kept, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(f"another process fetches {partial.stem}", cure="wait until it is done") from error
        yield kept


def _receive(address: str, kept: BufferedRandom, have: int, size: int, progress: Progress) -> None:
    """Little more than `size` bytes at most; a host that knows no ranges begins anew."""
    # The settings take http and https alone.
    asked = urllib.request.Request(address, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310
    with urllib.request.urlopen(asked, timeout=TIMEOUT_S) as reply:  # noqa: S310
        if reply.status != http.client.PARTIAL_CONTENT:
            kept.truncate(have := 0)
        while have <= size and (block := reply.read(_BLOCK)):
            kept.write(block)
            have += len(block)
            progress("megabytes", min(have, size) // _MEGABYTE, size // _MEGABYTE)
    kept.flush()
    if have < size:
        raise http.client.IncompleteRead(b"", size - have)


def _digest(kept: BufferedRandom) -> str:
    kept.seek(0)
    return hashlib.file_digest(kept, "sha256").hexdigest()


def _told(error: Exception) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return "the connection ended early"
    return str(getattr(error, "reason", "") or error or type(error).__name__)


def fetch(name: str, home: Path, repository: str, progress: Progress) -> tuple[Path, bool]:
    """The model's folder, and whether it was there already. Raises NotFound for a name that is not known."""
    model = KNOWN.get(name)
    if model is None:
        raise NotFound(f"no model {name} is known", cure=f"known are: {', '.join(sorted(KNOWN))}")
    folder = fetched_folder(home, name)
    if folder.is_dir():
        return folder, True
    archive = folder.with_name(f"{name}.jar")
    try:
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        if not archive.is_file():
            download(f"{repository.rstrip('/')}/{model.archive}", archive, model.sha256, model.size, progress)
        progress("converting", 0, 0)
        convert(archive, model, folder)
        archive.unlink()
    except OSError as error:
        raise Unavailable(f"{folder} cannot be written: {error}", cure="free disk space, and run it again") from error
    return folder, False
