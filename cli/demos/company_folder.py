"""Where `vouch slack simulate` has the demo's company: a folder that stays, or one for one time."""

import fcntl
import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from cli.demos.demo import examples
from cli.terminal.activity import waiting
from cli.terminal.nested import run_command
from cli.terminal.output import complain
from vouch.errors import Busy, Usage

_READS = "reading the documents of the demo's company"


@contextmanager
def company_folder(folder: Path | None) -> Iterator[Path]:
    """The folder, which stays; or one that is gone afterwards. Raises Usage, Busy."""
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()      # what may be written to is not known otherwise
        except OSError as error:
            raise Usage(f"{folder} cannot be used as a folder: {error.strerror}",
                        cure="name another one, or leave out --folder") from error
        with _alone(folder):
            yield folder.resolve()
        return
    place = Path(tempfile.mkdtemp(prefix="vouch-slack-"))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two would take each other's questions, and post the answers in a workspace that did not ask."""
    with (folder / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(f"another vouch slack simulate has {folder} open",
                       cure="go on there, end it with :quit, or name another folder") from error
        yield


def prepare_once(place: Path) -> None:
    """A mark is there meanwhile: where it was stopped in the middle, it begins anew the next time."""
    home, begun = place / "home", place / "unfinished"
    if home.is_dir() and not begun.exists():
        return
    begun.touch()
    shutil.rmtree(home, ignore_errors=True)
    _prepare(place)
    begun.unlink()


def _prepare(place: Path) -> None:
    """A home in which the company's documents are read, and its people known."""
    with waiting(_READS):
        if not sys.stderr.isatty():
            complain(f"{_READS}; it takes about 20 seconds")
        company = Path(shutil.copytree(examples(), place / "acme", dirs_exist_ok=True))
        for words in (
            ["directory", "load", company / "directory.yaml"],
            ["source", "add", "company", "--kind", "folder", "--path", company / "company"],
            ["source", "add", "handbook", "--kind", "events", "--path", company / "handbook" / "events.jsonl.gz",
             "--access", company / "handbook" / "access.yaml"],
            ["ingest"],
        ):  # fmt: skip
            with redirect_stdout(io.StringIO()):
                run_command([str(word) for word in words])
