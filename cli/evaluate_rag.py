"""vouch evaluate rag: how well answers fit what they were written from, and how good that was."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli.activity import progress
from cli.evaluate_sets import tell_measured
from cli.output import Json, warn
from cli.questions import ReaderOfCorpus, by_corpus


class JudgedBy(StrEnum):
    offline = "offline"
    language_model = "language-model"


def rag(
    questions: Annotated[Path, typer.Argument(help="JSON lines, each with a question, quotes and quote_paths.")],
    reader: ReaderOfCorpus = None,
    judge: Annotated[JudgedBy, typer.Option(
        help="Who judges: what comes with vouch, or the language model of VOUCH_WRITER, in one call an answer.",
    )] = JudgedBy.offline,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Measure faithfulness and relevance of answers, and precision and recall of what they were written from."""
    readers = by_corpus(reader)
    with progress("starting") as listener:
        from cli.wiring.rag import evaluate_rag

        found, report = evaluate_rag(questions, readers, limit, judge.value, listener)
    tell_measured(found, report, as_json=as_json)
    if found["not_judged"]:
        warn(f"{found['not_judged']} of the questions could not be judged, and count for nothing")
