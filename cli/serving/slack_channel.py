"""vouch slack channel: how vouch behaves in a channel."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.terminal import completion
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, moment, say, table, warn

if TYPE_CHECKING:
    from services.operating.channels import ChannelService

app = command_group("Set how vouch behaves in a channel of Slack.")
Channel = Annotated[str, typer.Argument(help="Id of the channel, such as C024BE7LR.")]


class Answers(StrEnum):
    mentions = "mentions"
    questions = "questions"


@app.callback()
def group() -> None:
    """Set how vouch behaves in a channel of Slack. In Slack itself: /vouch settings."""


@app.command("set", epilog="Example: vouch slack channel set C024BE7LR --answers questions --source handbook")
def set_channel(
    channel: Channel,
    answers: Annotated[
        Answers | None,
        typer.Option(help="Answer mentions only, or also messages that look like a question for the documents."),
    ] = None,
    sources: Annotated[list[str], typer.Option(
        "--source", metavar="NAME", autocompletion=completion.sources,
        help="Answer from this source only. May be repeated to allow several.",
    )] = [],  # noqa: B006
    all_sources: Annotated[bool, typer.Option("--all-sources", help="Answer from all sources again.")] = False,
    ephemeral: Annotated[bool | None, typer.Option(
        "--ephemeral/--no-ephemeral",
        help="Only the person who asks sees the answer, which is made for that person alone.",
    )] = None,
    askers: Annotated[list[str], typer.Option(
        "--asker", metavar="WHO", help="Only they may ask: user:NAME, group:NAME, or a Slack id. May be repeated.",
    )] = [],  # noqa: B006
    anybody: Annotated[bool, typer.Option("--anybody", help="Let everybody in the channel ask again.")] = False,
    owners: Annotated[list[str], typer.Option(
        "--owner", metavar="TAG",
        help="Who is called where vouch cannot answer: user:NAME or group:NAME. May be repeated.",
    )] = [],  # noqa: B006
    no_owners: Annotated[bool, typer.Option("--no-owners", help="Call nobody in this channel.")] = False,
    as_json: Json = False,
) -> None:
    """Change the settings that you name; the others stay. No setting shows anybody what they may not read."""
    from cli.wiring.slack import channel_doubt
    from vouch.errors import Usage

    for value, none, names in ((sources, all_sources, "--source and --all-sources"),
                               (askers, anybody, "--asker and --anybody"),
                               (owners, no_owners, "--owner and --no-owners")):
        if value and none:
            raise Usage(f"{names} exclude each other", cure="vouch slack channel set --help")
    changes: dict[str, Any] = {}
    if answers is not None:
        changes["answers"] = answers.value
    if ephemeral is not None:
        changes["ephemeral"] = ephemeral
    if sources or all_sources:
        changes["sources"] = tuple(sources) or None
    if askers or anybody:
        changes["askers"] = tuple(askers)
    if owners or no_owners:
        changes["owners"] = tuple(owners)
    if not changes:
        raise Usage("nothing to set was named", cure="vouch slack channel set --help")
    _show(_service().set(channel, changes), as_json)
    if told := channel_doubt(channel):
        warn(told)


@app.command(epilog="Example: vouch slack channel show C024BE7LR")
def show(channel: Channel, as_json: Json = False) -> None:
    """Show what is set for a channel."""
    _show(_service().show(channel), as_json)


@app.command("list", epilog="Example: vouch slack channel list --json")
def list_channels(as_json: Json = False) -> None:
    """List the channels that have settings."""
    rows = _service().list()
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["channel", "answers", "sources", "who reads", "who may ask", "owners"],
          [(row["channel"], row["answers"], *_words(row)) for row in rows],
          empty="nothing is set: vouch answers mentions, everywhere")
    for row in rows:
        _warn(row)


@app.command(epilog="Example: vouch slack channel unset C024BE7LR")
def unset(channel: Channel, as_json: Json = False) -> None:
    """Remove the settings of a channel: mentions are answered there, for everybody, from all sources."""
    _service().unset(channel)
    emit({"unset": channel}) if as_json else say(f"nothing is set for {channel} any more")


def _service() -> "ChannelService":
    from cli.wiring.slack import open_channels

    return open_channels()


def _show(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit(row)
        return
    sources, reads, asks, owners = _words(row)
    say(f"{row['channel']}: answers {row['answers']}")
    for name, told in (("sources", sources), ("who reads the answer", reads), ("who may ask", asks),
                       ("owners", owners)):
        say(f"  {name}: {told}")
    say(f"  set by {row['changed_by']}, {moment(row['changed_at'])}")
    _warn(row)


def _words(row: dict[str, Any]) -> tuple[str, str, str, str]:
    sources = "all" if row["sources"] is None else ", ".join(row["sources"])
    reads = "whoever asks" if row["ephemeral"] else "everybody there"
    return sources, reads, ", ".join(row["askers"]) or "everybody", ", ".join(row["owners"]) or "nobody"


def _warn(row: dict[str, Any]) -> None:
    for name in row["unknown_sources"]:
        warn(f"{row['channel']}: there is no source {name}, so nothing is found there")
    for told in row["warnings"]:
        warn(f"{row['channel']}: {told}")
