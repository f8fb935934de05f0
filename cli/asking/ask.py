"""vouch ask: a question in, a cited answer out."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.asking.questions import ChangedAfter, FromPaths, FromSources, OwnedBy, filters_of
from cli.terminal import screen
from cli.terminal.activity import progress
from cli.terminal.output import Json, Readers, emit, hint_why_nothing, say_all, warn, warn_unreadable
from flows.shared.reporting import Progress, silent
from vouch.errors import NotFound
from vouch.plurals import count

if TYPE_CHECKING:
    from vouch.messages import QuestionProgress, Stage

_STAGES: "dict[Stage, str]" = {
    "retrieve": "searching the documents", "rerank": "reading the closest passages",
    "evaluate": "judging whether they answer the question", "web": "searching the web",
    "refine": "choosing what matters in them", "cite": "writing, and checking each citation",
}  # fmt: skip
_USAGE = 'vouch ask "TEXT", or vouch ask --questions FILE.jsonl'


def register(app: typer.Typer) -> None:
    app.command(epilog='Example: vouch ask "How do I book travel?" --as user:ana@acme.test')(ask)


def ask(
    text: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]…", help="The question; - reads it from standard input.")
    ] = None,
    readers: Readers = [],  # noqa: B006  (the parser needs a literal)
    questions: Annotated[
        Path | None, typer.Option(help=(
            'Many at once: JSON lines of {"id", "text", "as": [TAG…], "steps": N}. Prints a JSON line for each.'))
    ] = None,
    thread: Annotated[str | None, typer.Option(
        metavar="NAME", help="Name of a conversation: follow up on what the same readers asked in it before.",
    )] = None,
    share_question: Annotated[bool, typer.Option(
        "--share-question", help="Let owners of documents see this question as an example, without your name.",
    )] = False,
    sources: FromSources = [],  # noqa: B006
    paths: FromPaths = [],  # noqa: B006
    after: ChangedAfter = None,
    owners: OwnedBy = [],  # noqa: B006
    steps: Annotated[int | None, typer.Option(
        min=0, max=8, metavar="N",
        help="Allow up to N further searches. Default: VOUCH_STEPS__BY_DEFAULT, which is 0 unless you set it.",
    )] = None,
    fail_on_decline: Annotated[
        bool, typer.Option("--fail-on-decline", help="Exit with code 3 if a question was declined.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Also show ids, full paths, and which writer was used.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Answer a question from what every --as reader may read. Without --as: from public documents only.

    With --share-question, a report on what several people did not find may show the question to the owners of the
    documents near it, without your name. `vouch examples deny` takes that back.

    --source, --path, --after and --owner limit which documents are used; all others have no influence on the answer.

    With --thread, "and for contractors?" is understood from the questions before it.

    A question that the documents do not answer is declined. That is not a failure: the exit code is 0 unless
    --fail-on-decline is given.
    """
    from cli.asking.questions import one_or_many, unread_keys

    filters = filters_of(sources, paths, after, owners)
    asked = one_or_many(text or [], readers, questions, usage=_USAGE)
    if told := unread_keys(asked):
        warn(told)
    declined = 0
    with progress("looking for an answer", lines=questions is not None) as tell:
        from bots.terminal import render
        from cli.wiring.asking import open_ask_client

        with open_ask_client() as client:
            warn_unreadable(client.permissions())
            for number, question in enumerate(asked):
                for doubt in question.doubts(client.permissions().directory):
                    warn(doubt)
                tell("looking for an answer", number, len(asked) if questions else 0)
                listener = None if questions or tell is silent else partial(_told, tell)
                answer = client.ask(question.text, question.tags, thread, listener, share_question=share_question,
                                    filters=filters, steps=steps if question.steps is None else question.steps)
                declined += answer["action"] == "declined"
                if question.id is not None:
                    answer = {"id": answer["id"], "question_ref": question.id, **answer}
                if as_json or questions:
                    emit(answer)
                    continue
                say_all(render(answer, screen.width(), verbose=verbose))
                if answer["action"] == "declined":
                    hint_why_nothing(question.tags, client.permissions(), sources)
    if fail_on_decline and declined:
        raise NotFound(f"{declined} of {count(len(asked), 'question')} declined", cure="ask about what is documented")


def _told(tell: Progress, message: "QuestionProgress") -> None:
    if message.stage is not None:
        tell(_STAGES[message.stage], 0, 0)
