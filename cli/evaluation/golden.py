"""vouch golden: a company's own questions with known answers."""

from pathlib import Path
from typing import Annotated

import typer

from cli.terminal import completion
from cli.terminal.activity import waiting
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, say, table
from cli.terminal.reader_tags import checked_reader
from vouch.errors import Usage
from vouch.plurals import count

File = Annotated[Path | None, typer.Option("--file", help="Use this file instead of golden.jsonl in the home.")]
app = command_group("Keep questions with known answers, to measure answers by.")


@app.command(epilog='Example: vouch golden add "How long is leave?" --path leave.md --quote "12 weeks of paid leave"')
def add(
    question: Annotated[str, typer.Argument(help="As somebody would ask it.")],
    path: Annotated[str, typer.Option(help="Path of a document that answers it.")] = "",
    quote: Annotated[str, typer.Option(help="The words of that document that answer it.")] = "",
    not_answered: Annotated[bool, typer.Option("--not-answered", help="No document answers it.")] = False,
    reader: Annotated[str, typer.Option("--as", metavar="TAG", autocompletion=completion.readers,
                                        callback=checked_reader,
                                        help="Who asks it: user:NAME, group:NAME or public.")] = "public",
    kind: Annotated[str, typer.Option(help="A word of your own, such as fact: each kind gets its own figures.")] = "",
    file: File = None,
    as_json: Json = False,
) -> None:
    """Add a question, with the words that answer it, from a document that its asker may read."""
    if not_answered and (path or quote):
        raise Usage("--not-answered says that no document answers it, and --path and --quote name one that does",
                    cure="leave out either --not-answered, or --path and --quote")
    if not not_answered and not (path and quote.strip()):
        raise Usage("it is not said which words of which document answer the question",
                    cure='add --path DOCUMENT --quote "ITS WORDS", or --not-answered if no document answers it')
    with waiting("looking"):
        from cli.wiring.evaluation.served import open_golden

        row = open_golden(file).add(question, path, quote, reader, kind)
    emit(row) if as_json else say(f"added {row['id']}, asked by {reader}")


@app.command("list", epilog="Example: vouch golden list --json")
def list_(file: File = None, as_json: Json = False) -> None:
    """List the questions, with who asks each and which document answers it."""
    with waiting("reading"):
        from cli.wiring.evaluation.served import open_golden

        questions = open_golden(file).questions()
    rows = [(case.id, case.kind, case.reader or "public", case.text, *(q.path for a in case.gold[:1] for q in a[:1]))
            for case in questions]
    if as_json:
        for row in rows:
            emit(dict(zip(("id", "kind", "reader", "question", "path"), row, strict=False)))
        return
    table(["id", "kind", "asked by", "question", "answered in"],
          [(*row, "")[:5] for row in rows], title=count(len(rows), "question"), empty=(
              'there are no questions yet; add one: vouch golden add "QUESTION" --path DOCUMENT --quote "ITS WORDS"'))
