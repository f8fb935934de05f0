"""vouch drafts: answers of people that may become documents."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, moment, say, table
from vouch.plurals import count

app = command_group("Decide which answers of people become documents.")

Id = Annotated[str, typer.Argument(metavar="DRAFT", help="Id of a draft, or its first six digits or more.")]
By = Annotated[str, typer.Option("--as", metavar="TAG", help="Who decides, as user:NAME, for the record.")]
_OPERATOR = "operator"


class State(StrEnum):
    waiting = "waiting"
    approved = "approved"
    refused = "refused"
    expired = "expired"


@app.callback()
def group() -> None:
    """Decide which answers of people become documents."""


@app.command("list", epilog="Example: vouch drafts list --state waiting")
def list_drafts(
    state: Annotated[State | None, typer.Option(help="Only those in this state.")] = None, as_json: Json = False
) -> None:
    """List the drafts without their words: who wrote them, who may read them, and until when."""
    from cli.wiring.administration import open_drafts

    with open_drafts() as drafts:
        rows = drafts.list(state.value if state else None)
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["draft", "state", "by", "written", "until", "readers"],
          [(r["id"], r["state"], r["by"], moment(r["made_at"]), moment(r["expires_at"]),
            count(len(r["readers"]), "person", "people")) for r in rows],
          empty="there are no drafts; they come from questions that people answered in Slack")


@app.command(epilog="Example: vouch drafts show 3f9a41c2")
def show(draft: Id, as_json: Json = False) -> None:
    """Print one draft with its question and its text, which are what people wrote."""
    from cli.wiring.administration import open_drafts

    with open_drafts() as drafts:
        row = drafts.get(draft)
    if as_json:
        emit(row)
        return
    _tell(row)
    say(f"readers: {', '.join(row['readers'])}")
    say(f"question: {row['question']}")
    say("")
    say(row["text"])


@app.command(epilog="Example: vouch drafts approve 3f9a41c2 --as user:ana@acme.test")
def approve(draft: Id, by: By = _OPERATOR, as_json: Json = False) -> None:
    """Turn a draft into a document, for its readers only, until its last day.

    A running `vouch worker` ingests it, or else the next `vouch ingest`.
    """
    _decide(draft, "approved", by, as_json)


@app.command(epilog="Example: vouch drafts refuse 3f9a41c2")
def refuse(draft: Id, by: By = _OPERATOR, as_json: Json = False) -> None:
    """Refuse a draft, or withdraw a document that was made from one: nobody may read it from now on."""
    _decide(draft, "refused", by, as_json)


def _decide(draft: str, state: str, by: str, as_json: bool) -> None:
    from cli.wiring.administration import open_drafts
    from vouch.access import parse_tag

    tag = by if by == _OPERATOR else parse_tag(by)
    with open_drafts() as drafts:
        row = drafts.decide(draft, state, tag)
    emit(row) if as_json else _tell(row)


def _tell(row: dict[str, Any]) -> None:
    place = f": {row['document']}" if row["document"] else ""
    say(f"{row['id']} is {row['state']}{place}, written by {row['by']}, until {moment(row['expires_at'])}")
