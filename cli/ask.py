"""vouch ask: a question in, a cited answer out."""

from pathlib import Path
from typing import Annotated

import typer

from cli.output import Json, Readers, emit, hint_why_nothing, say, warn


def register(app: typer.Typer) -> None:
    app.command(epilog='Example: vouch ask "How do I book travel?" --as user:ana@acme.test')(ask)


def ask(
    text: Annotated[str | None, typer.Argument(help="The question.")] = None,
    readers: Readers = [],  # noqa: B006  (the parser needs a literal)
    questions: Annotated[
        Path | None, typer.Option(help='Many at once: JSON lines of {"id", "text", "as": [TAG…]}.')
    ] = None,
    as_json: Json = False,
) -> None:
    """Answer from what every named reader may read; without --as from public documents only."""
    from bots.terminal import render
    from cli.questions import one_or_many
    from cli.wiring.desk import open_desk

    with open_desk() as desk:
        for question in one_or_many(text, readers, questions):
            for doubt in question.doubts(desk.permissions().directory):
                warn(doubt)
            answer = desk.ask(question.text, question.tags)
            if question.id is not None:
                answer = {"id": answer["id"], "question_ref": question.id, **answer}
            if as_json or questions:
                emit(answer)
                continue
            say(render(answer))
            if answer["action"] == "declined":
                hint_why_nothing(question.tags, desk.permissions())
