"""vouch evaluate answers, golden and rag: how well questions are answered, and from what."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.asking.questions import ReaderOfCorpus, by_corpus
from cli.evaluation.datasets import tell_report
from cli.evaluation.failures import tell_failures
from cli.terminal.activity import progress
from cli.terminal.output import Json, emit, say, table, warn
from vouch.errors import Guarded

Out = Annotated[Path | None, typer.Option(help="Write each question's grade and answer to this file.")]
Against = Annotated[Path | None, typer.Option(
    metavar="SETTINGS_OR_OUT",
    help="Compare, question by question, with settings in a file named .toml, or with a file that --out wrote.",
)]

Failures = Annotated[bool, typer.Option(
    "--failures", help="Also list each question that went wrong, with what was shown and what was expected.",
)]


def answers(
    questions: Annotated[Path, typer.Argument(help="JSON lines as docs/evaluation.md describes them.")],
    reader: ReaderOfCorpus = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")] = None,
    out: Out = None,
    against: Against = None,
    folds: Annotated[bool, typer.Option(
        "--folds", help="Five folds by document: each is answered with thresholds calibrated on the other four.",
    )] = False,
    failures: Failures = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Measure the answers to questions with known answers, from the current documents."""
    readers = by_corpus(reader)
    with progress("starting") as listener:
        from cli.wiring.evaluation.served import evaluate_answers

        figures, report = evaluate_answers(questions, readers, limit, out, against, listener, folds, failures)
    if as_json:
        emit({**figures, "report": str(report)})
        return
    tell_answers(figures)
    if failures:
        tell_failures(figures["failures"])
    tell_report(report)
    _hint_readers(figures, figures.get("answerable", {}).get("declined", 0) > 0)


def _hint_readers(found: Mapping[str, Any], missed: bool) -> None:
    """Why answers are missing, where it may be that nobody asked who may read what answers."""
    if missed and found["asked_by_others"] == 0:
        warn('every question was asked by public, who may read public documents only; name other readers with --reader '
             'CORPUS=TAG, for the "corpus" of the questions, or in the "reader" of each question')


def golden(
    file: Annotated[Path | None, typer.Option(help="Use this file instead of golden.jsonl in the home.")] = None,
    out: Out = None,
    against: Against = None,
    least: Annotated[float, typer.Option(
        min=0, max=1,
        help="Fail with exit code 6 if a smaller share of the answerable questions is shown the right passage.",
    )] = 0.0,
    failures: Failures = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Measure the answers to the company's own questions, each asked by the reader that it names."""
    with progress("starting") as listener:
        from cli.wiring.evaluation.served import evaluate_golden

        figures, report = evaluate_golden(file, out, against, listener, failures)
    if as_json:
        emit({**figures, "report": str(report)})
    else:
        tell_answers(figures)
        if failures:
            tell_failures(figures["failures"])
        tell_report(report)
    shown = figures.get("answerable", {}).get("shown", 0.0)
    if shown < least:
        raise Guarded(f"{shown:.1%} of the answerable questions are shown rightly, less than {least:.1%}",
                      cure="see which: --failures; and which questions changed since an earlier run: --against")


def tell_answers(found: Mapping[str, Any]) -> None:
    """Prints the figures as tables, and shares with their 95 % interval."""
    rows = _by_kind(found)
    for key, heading, columns in (("answerable", "answerable", ("cited", "shown", "declined")),
                                  ("unanswerable", "not answerable", ("answered", "unsure", "declined"))):
        if shares := [(kind, n[key]["questions"], *_shares(n[key], *columns)) for kind, n in rows if key in n]:
            table([heading, "questions", *columns], shares)
    if retrieval := found.get("retrieval"):
        _tell_retrieval(retrieval)
    if figures := list(_told(found)):
        table(["figure", "value"], figures)
    if found["spans"]["not_found"]:
        warn("not every quoted span stands in its source: that is a bug of vouch, or a document changed meanwhile")
    if "against" in found:
        _tell_against(found["against"])


def _by_kind(found: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """All first, then each kind; a kind called `all`, as questions without one have, is not told twice."""
    kinds = found["kinds"]
    return [("all", found), *((kind, row) for kind, row in kinds.items() if (kind, len(kinds)) != ("all", 1))]


def _told(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    certain = found.get("certain", {})
    for name, value in certain.items():
        if not name.endswith("_interval"):
            yield f"answers given as certain: {name}", str(value) if name == "answers" else _shares(certain, name)[0]
    if "auc" in found:
        yield "evaluator's AUC", "{} ({}-{})".format(found["auc"], *found["auc_interval"])
    for number, fold in enumerate(found.get("folds", ()), 1):
        yield f"thresholds of fold {number}", f"lower {fold['lower']}, upper {fold['upper']}"
    spans = found["spans"]
    if spans["quoted"]:
        yield "quoted spans found in their source", (
            f"{spans['quoted'] - spans['not_found']} of {spans['quoted']} ({spans['found']:.4%})")


def _tell_retrieval(found: Mapping[str, Any]) -> None:
    depths = [name for name in found["fused"] if not name.endswith("_interval")]
    rows = _by_kind(found)
    table(["the known passage is among the first", "order", *depths], [
        (kind, order, *(f"{row[order][depth]:.3f}" for depth in depths))
        for kind, row in rows for order in ("fused", "final", "first")
        if order != "first" or row["first"] != row["final"]
    ])


def _tell_against(found: Mapping[str, Any]) -> None:
    say(f"compared over {found['questions']} questions that both were asked")
    lines = [(f"{kind}: {name}", value) for kind in ("answerable", "unanswerable")
             for name, value in found.get(kind, {}).items() if name != "questions"]
    lines += [("AUC", found["auc"])] if "auc" in found else []
    table(["figure", "this", "against", "difference", "95 % interval"], [
        (name, f"{one['this']:.3f}", f"{one['against']:.3f}", f"{one['difference']:+.3f}",
         "{:+.3f} to {:+.3f}".format(*one["difference_interval"])) for name, one in lines
    ])


def _shares(row: Mapping[str, Any], *names: str) -> list[str]:
    return ["{:.0%} ({:.0%}-{:.0%})".format(row[name], *row[f"{name}_interval"]) for name in names]


_RAG = {                                # what a figure is called, and what for people
    "questions": "questions judged", "answers": "of these answered",
    "with known quotations": "of these with known quotations",
    "faithfulness": "faithfulness: statements that the passages hold",
    "answer relevance": "answer relevance: how well answers fit the question",
    "context precision": "context precision: passages of use come first",
    "context recall": "context recall: known quotations that the passages hold",
}  # fmt: skip


def _tell_rag(found: Mapping[str, Any]) -> None:
    """A figure on each line, with its interval; a kind in each column."""
    say(f"judged by {found['judged by']}; in brackets the 95 % interval")
    kinds = _by_kind(found)
    table(["figure", *(kind for kind, _ in kinds)], [
        (told, *(_figure(row, name) for _, row in kinds)) for name, told in _RAG.items()
        if any(name in row for _, row in kinds)
    ])


def _figure(row: Mapping[str, Any], name: str) -> str:
    ends = row.get(f"{name}_interval")
    return "{:.3f} ({:.3f}-{:.3f})".format(row[name], *ends) if ends else str(row.get(name, ""))


class JudgedBy(StrEnum):
    offline = "offline"
    language_model = "language-model"


def rag(
    questions: Annotated[Path, typer.Argument(help="JSON lines as docs/evaluation.md describes them.")],
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
        from cli.wiring.evaluation.rag import evaluate_rag

        figures, report = evaluate_rag(questions, readers, limit, judge.value, listener)
    if as_json:
        emit({**figures, "report": str(report)})
        return
    _tell_rag(figures)
    tell_report(report)
    _hint_readers(figures, figures["answers"] < figures["questions"])
    if figures["not_judged"]:
        warn(f"{figures['not_judged']} of the questions could not be judged, and count for nothing")
