"""vouch examples: whether document owners may see a person's questions."""

from typing import Annotated, Any

import typer

from cli.terminal import completion
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, say
from cli.terminal.reader_tags import checked_reader
from vouch.plurals import count

Person = Annotated[str, typer.Option(
    "--as", metavar="TAG", help="The person who chooses: user:NAME.", autocompletion=completion.readers,
    callback=checked_reader,
)]
app = command_group("Choose whether your questions may be shown as examples.")


@app.callback()
def group() -> None:
    """Choose whether your questions may be shown as examples.

    Where several people asked in vain, reports of gaps may show a question, without the asker's
    name, to owners of documents. Of nobody who has not allowed it; the default is no.
    """


@app.command(epilog="Example: vouch examples allow --as user:ana@acme.test")
def allow(person: Person, as_json: Json = False) -> None:
    """Let your questions from now on be shown as examples, without your name."""
    from cli.wiring.training.labels import open_examples

    row = open_examples().allow(person)
    emit(row) if as_json else _tell(row)


@app.command(epilog="Example: vouch examples deny --as user:ana@acme.test")
def deny(person: Person, as_json: Json = False) -> None:
    """Withdraw all your questions as examples, also from reports that are written already."""
    from cli.wiring.training.labels import open_examples

    row = open_examples().deny(person)
    if as_json:
        emit(row)
        return
    _tell(row)
    if row["reports_changed"]:
        say(f"{count(row['reports_changed'], 'report')} in the home no longer show them")


@app.command(epilog="Example: vouch examples status --as user:ana@acme.test")
def status(person: Person, as_json: Json = False) -> None:
    """Show what you chose, and when."""
    from cli.wiring.training.labels import open_examples

    row = open_examples().status(person)
    emit(row) if as_json else _tell(row)


def _tell(row: dict[str, Any]) -> None:
    if row["allowed"]:
        say(f"{row['person']} lets questions be shown as examples, those asked since {row['allowed_since']}")
    elif row["denied_at"]:
        say(f"{row['person']} lets no question be shown as an example; denied at {row['denied_at']}")
    else:
        say(f"{row['person']} has not chosen, so no question is shown as an example")
    if not row["allowed"]:
        say("a later question can allow it for itself: vouch ask --share-question")
