"""vouch slack simulate: the demo's company in a Slack of its own, and a person who types as anyone in it."""

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from bots.wrapping import Line
from cli.demos.demo import environment, examples
from cli.terminal import screen
from cli.terminal.activity import waiting
from cli.terminal.nested import run_command
from cli.terminal.output import complain, say, say_all
from vouch.errors import BadInput

if TYPE_CHECKING:
    from consumers.wiring.slack.simulator import Play

_READS = "reading the documents of the demo's company"


def simulate(folder: Path | None, *, http: bool) -> None:
    """Reads lines until `:quit` or the end of the input."""
    with _place(folder) as place, environment(place):
        if not (place / "home").is_dir():
            _prepare(place)
        from cli.wiring.slack import open_slack_simulation

        with open_slack_simulation("http" if http else "socket", screen.width()) as player:
            say_all(player.look())
            _play(player)


def _play(player: "Play") -> None:
    """At a terminal with a prompt; from a pipe each line is shown before what comes of it."""
    typing = sys.stdin.isatty()
    if typing:
        say(":help tells what may be typed. Try: @vouch How long does a performance improvement plan take?")
    while (line := _next(player.prompt, typing=typing)) not in (None, ":quit"):
        try:
            with waiting("vouch is at work"):
                lines = player.act(line or "")
        except BadInput as error:
            complain(Line("no:", "warning"), f" {error.cause}; {error.cure}")
            continue
        say_all(lines)


def _next(prompt: str, *, typing: bool) -> str | None:
    """None at the end of what is typed. Lines that begin with a # are for who reads the script."""
    if typing:
        try:
            return input(prompt)
        except EOFError:
            say()
            return None
    line = sys.stdin.readline()
    if not line:
        return None
    text = line.rstrip("\n")
    if text.startswith("# "):
        return ""
    if text:
        say(Line(f"\n{prompt}{text}", "strong"))
    return text


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


@contextmanager
def _place(folder: Path | None) -> Iterator[Path]:
    """The folder, which stays; or one that is gone afterwards."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder.resolve()
        return
    place = Path(tempfile.mkdtemp(prefix="vouch-slack-"))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
