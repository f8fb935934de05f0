"""vouch feedback: a reader's verdict on an answer."""

from enum import StrEnum
from typing import Annotated

import typer

from cli.terminal import completion
from cli.terminal.output import Json, emit, say
from cli.terminal.reader_tags import checked_reader
from vouch.errors import Usage
from vouch.messages import Category


class Vote(StrEnum):
    up = "up"
    down = "down"


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch feedback 9c1d… down --category outdated --as user:ana@acme.test")(feedback)


def feedback(
    answer_id: Annotated[str, typer.Argument(help="Id of an answer; vouch ask --verbose shows it.")],
    vote: Annotated[Vote, typer.Argument(help="up or down.")],
    category: Annotated[Category | None, typer.Option(help="With a vote down: what is wrong.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why, in a few words.")] = None,
    person: Annotated[str, typer.Option(
        "--as", metavar="TAG", help="Who votes: a person the answer was made for.", autocompletion=completion.readers,
        callback=checked_reader,
    )] = "public",
    as_json: Json = False,
) -> None:
    """Vote an answer up or down. One vote per person and answer; the last one counts.

    Whoever votes is one of those whom the answer was made for.
    """
    if category is not None and vote is Vote.up:
        raise Usage("a category says what is wrong, and a vote up says that nothing is",
                    cure="leave out --category, or vote down")
    from cli.wiring.asking import open_ask_client

    with open_ask_client() as client:
        row = client.feedback(answer_id, person, vote.value, reason, category)
    emit(row) if as_json else say(f"thank you: {vote.value} recorded for answer {row['answer_id']}")
