"""vouch dead: messages that could not be handled."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.terminal import completion
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, say, table
from vouch.errors import Usage
from vouch.plurals import count

if TYPE_CHECKING:
    from consumers.worker.dead_letters import DeadLetters, DeadMessage

app = command_group("List messages that could not be handled, send them again, or drop them.")

Names = Annotated[list[str] | None, typer.Argument(
    metavar="[MESSAGE]…", help="Messages, as vouch dead list shows them.", autocompletion=completion.dead,
)]
Topic = Annotated[str | None, typer.Option("--topic", help="Only those of this topic, such as questions.")]
Everything = Annotated[bool, typer.Option("--all", help="All of them, or all of --topic.")]


@app.command("list", epilog="Example: vouch dead list --topic questions")
def list_dead(topic: Topic = None, as_json: Json = False) -> None:
    """List these messages without their contents: where they came from, why and when they were given up."""
    from cli.wiring.status import open_dead

    with open_dead() as letters:
        rows = [_row(message) for message in letters.lying(topic)]
    if as_json:
        for row in rows:
            emit(row)
    elif rows:
        table(list(rows[0]), [list(row.values()) for row in rows])
    else:
        say("no dead messages")


@app.command(epilog="Example: vouch dead show questions.dead/2/17")
def show(
    message: Annotated[
        str, typer.Argument(help="A message, as vouch dead list shows it.", autocompletion=completion.dead)
    ],
    as_json: Json = False,
) -> None:
    """Print one message with its reason, headers, and contents, which are what somebody asked or wrote."""
    from cli.wiring.status import open_dead

    with open_dead() as letters:
        [dead_message] = letters.named([message])
    whole = {
        **_row(dead_message),
        "reason": dead_message.letter.reason if dead_message.letter else None,
        "key": dead_message.record.key.decode(errors="replace"),
        "headers": [[name, value.decode(errors="replace")] for name, value in dead_message.record.headers],
        "bytes": len(dead_message.record.value),
        "value": dead_message.record.value.decode(errors="replace"),
    }
    if as_json:
        emit(whole)
        return
    for name, value in whole.items():
        say(f"{name}: {json.dumps(value, ensure_ascii=True)}")     # so that no byte of it steers the terminal


@app.command(epilog="Example: vouch dead replay --all --topic feedback")
def replay(messages: Names = None, topic: Topic = None, everything: Everything = False, as_json: Json = False) -> None:
    """Send messages again to the topic they came from.

    A question whose asker was told that it failed is asked again under a new id.
    """
    from cli.wiring.status import open_dead_to_act
    from services.operating.operators import replay_act

    with open_dead_to_act() as (letters, noted):
        chosen = _chosen(letters, messages, topic, everything)
        for message in chosen:
            with noted(replay_act(message.name)):
                done = letters.replay(message)
            if as_json:
                emit({"replayed": message.name, "asked_anew": done.asked_anew})
            else:
                say(f"sent again: {message.name}" + (f", as question {done.asked_anew}" if done.asked_anew else ""))
    if not (chosen or as_json):
        say("no dead messages")


@app.command(epilog="Example: vouch dead drop questions.dead/2/17")
def drop(
    messages: Names = None,
    topic: Topic = None,
    everything: Everything = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: it cannot be undone.")] = False,
    as_json: Json = False,
) -> None:
    """Delete messages for good."""
    from cli.wiring.status import open_dead_to_act

    with open_dead_to_act() as (letters, noted):
        chosen = _chosen(letters, messages, topic, everything)
        if everything and chosen and not yes and not typer.confirm(f"Drop {count(len(chosen), 'message')} for good?"):
            say("nothing was changed")
            return
        if chosen:
            named = chosen[0].name if len(chosen) == 1 else f"{len(chosen)} dead messages"
            with noted(f"drop of {named}"):
                letters.drop(chosen)
    if as_json:
        emit({"dropped": [message.name for message in chosen]})
    else:
        say(f"dropped {count(len(chosen), 'message')}")


def _chosen(
    letters: "DeadLetters", names: list[str] | None, topic: str | None, everything: bool
) -> list["DeadMessage"]:
    if bool(names) == everything or (topic is not None and not everything):
        raise Usage("name messages, or say --all", cure="vouch dead list names them")
    return letters.named(names) if names else letters.lying(topic)


def _row(message: "DeadMessage") -> dict[str, Any]:
    letter = message.letter
    return {
        "message": message.name,
        "from": f"{letter.topic}/{letter.partition}/{letter.offset}" if letter else None,
        "error": letter.error if letter else None,
        "attempts": letter.attempts if letter else None,
        "first": letter.first_at if letter else None,
        "last": letter.last_at if letter else None,
    }
