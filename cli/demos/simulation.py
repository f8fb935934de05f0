"""vouch slack simulate: the demo's company in a Slack of its own, and a person who types as anyone in it."""

import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bots.wrapping import Line
from cli.demos.company_folder import company_folder, prepare_once
from cli.demos.demo import environment
from cli.terminal import screen
from cli.terminal.activity import waiting
from cli.terminal.interrupts import stems_from_interrupt
from cli.terminal.output import say, say_all
from vouch.errors import BadInput

if TYPE_CHECKING:
    from consumers.wiring.slack.simulator import Play


def simulate(folder: Path | None, *, http: bool, stages: bool) -> None:
    """Reads lines until `:quit`, the end of the input, or Ctrl-C: there is nothing to run again then."""
    try:
        _simulate(folder, http=http, stages=stages)
    except Exception as error:
        if not stems_from_interrupt(error):
            raise
    except KeyboardInterrupt:
        pass
    else:
        return
    say("stopped")


def _simulate(folder: Path | None, *, http: bool, stages: bool) -> None:
    with company_folder(folder) as place, environment(place):
        prepare_once(place)
        from cli.wiring.slack import open_slack_simulation

        with open_slack_simulation("http" if http else "socket", screen.width(), stages=stages) as player:
            say_all(player.look())
            _play(player)


def _play(player: "Play") -> None:
    """At a terminal with a prompt; from a pipe each line is shown before what comes of it."""
    typing = sys.stdin.isatty()
    if typing:
        with suppress(ImportError):     # where there is none, the arrow keys type what they send
            import_module("readline")
        say(":help tells what may be typed. Try: @vouch How long does a performance improvement plan take?")
    while (line := _next(player.prompt, typing=typing)) not in (None, ":quit"):
        try:
            with waiting("vouch is at work"):
                lines = player.act(line or "")
        except BadInput as error:
            say(Line("no:", "warning"), f" {error.cause}; {error.cure}")
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
