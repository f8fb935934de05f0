"""vouch slack: the bot, whether Slack lets it do its work, and how to try it without Slack."""

from pathlib import Path
from typing import Annotated

import typer

from bots.wrapping import Line
from cli.serving import slack_channel
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, say, say_wrapped
from vouch.errors import Unavailable, VouchError
from vouch.plurals import count

app = command_group("Ask and answer in Slack.")
app.add_typer(slack_channel.app, name="channel")


@app.callback()
def group() -> None:
    """Ask and answer in Slack."""


@app.command(epilog="Example: vouch slack run")
def run() -> None:
    """Listen in Slack until Ctrl-C or SIGTERM. `vouch worker` answers, with the same settings.

    Each question is put on the log before Slack is told that it arrived.
    """
    from cli.wiring.slack import open_slack_bot

    with open_slack_bot() as bot:
        bot.run(lambda: say(f"slack ready: {bot.told}"))
        say("slack stopped")


@app.command(epilog="Example: vouch slack doctor")
def doctor(as_json: Json = False) -> None:
    """Check the app, the connection, events, documents, and people. Exit code 10 if a check fails.

    In turn: the token, its scopes, the clock, channels, the connection or, over HTTP, the bot's own endpoint; when the
    last event came; whether documents are in the index that somebody may read, and whether anybody of the directory has
    an account; whether the directory has whom the settings name, and somebody looks after vouch; and whether a worker
    runs.
    """
    from cli.wiring.slack import slack_checks

    failed: set[str] = set()
    for name, look, needs in slack_checks():
        if needs in failed:
            _show(name, f"not checked, as {needs} failed", "", None, as_json)
            continue
        try:
            _show(name, *look(), True, as_json)
        except VouchError as error:
            _show(name, error.cause, error.cure, False, as_json)
            failed.add(name)
    if failed:
        raise Unavailable(f"{count(len(failed), 'check')} failed", cure="follow the lines marked FAIL")


@app.command(epilog="Example: vouch slack manifest > manifest.json")
def manifest(
    url: Annotated[str, typer.Option(
        "--url", metavar="URL",
        help="Let Slack send signed requests to https://HOST, instead of the bot connecting to Slack.",
    )] = "",
) -> None:
    """Print the manifest to create the Slack app from."""
    from cli.wiring.slack import manifest_text

    say(manifest_text(url).rstrip())


@app.command(epilog='Example: echo "@vouch Who is on call?" | vouch slack simulate')
def simulate(
    folder: Annotated[Path | None, typer.Option(
        "--folder", metavar="FOLDER",
        help="Keep the company in this folder for the next time. Without it nothing is kept.",
    )] = None,
    http: Annotated[bool, typer.Option(
        "--http", help="Let Slack send signed requests, instead of the bot connecting to Slack.",
    )] = False,
    stages: Annotated[bool, typer.Option(
        "--stages/--no-stages", help="Show the stages of a question while it is worked on, or a status alone.",
    )] = True,
) -> None:
    """Try the bot without a workspace, in a simulated Slack of the demo company, where you can type as anyone.

    Bot, worker, and sender are the real ones. From a pipe it plays a script, one action a line. Type `:help` to see
    what you can type.
    """
    from cli.demos.simulation import simulate as play

    play(folder, http=http, stages=stages)


def _show(name: str, found: str, cure: str, sound: bool | None, as_json: bool) -> None:
    """`sound`: None if that was not looked at."""
    if as_json:
        emit({"check": name, "sound": sound, "found": found, "cure": cure})
        return
    say_wrapped(_sign(sound, cure), f" {name}: {found}")
    if cure:
        say(Line("     try:", "strong"), f" {cure}")


def _sign(sound: bool | None, cure: str) -> Line:
    if sound is None:
        return Line("skip", "warning")
    return Line("FAIL", "bad") if not sound else Line("note", "warning") if cure else Line("ok  ", "good")
