"""vouch label: people judge passages; labels are made, exported and imported."""

from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from cli.terminal import completion
from cli.terminal.activity import progress, waiting
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, say
from cli.terminal.reader_tags import checked_readers
from vouch.errors import Usage
from vouch.plurals import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from services.labeling.judging import Labeling, ToJudge
    from vouch.learning.labels.label import Source

_OUTPUT = Path("-")
_HELP = """Judge how relevant passages are, with one key for each. vouch learns from these labels.

For each question it shows the passages that words, meaning, fusion and reranker find, in random order, if both the
person who judges and the question's readers may read them. Keys: 0 not relevant, 1 related, 2 relevant, 3 answers it;
s skip, b back, u undo, h help, q quit. Each judgment is saved at once; run it again to go on. Without a terminal the
keys are read from standard input, one a line.
"""
app = command_group(_HELP)


class Format(StrEnum):
    jsonl = "jsonl"
    qrels = "qrels"


Form = Annotated[Format, typer.Option("--format", help="JSON lines, or TREC qrels with a file of questions.")]
Topics = Annotated[Path | None, typer.Option(help="With qrels: the questions, JSON lines of id, question, audience.")]


@app.callback(invoke_without_command=True, epilog="Example: vouch label --as user:ana@acme.test")
def label(
    ctx: typer.Context,
    persons: Annotated[list[str], typer.Option(
        "--as", metavar="TAG", help="Who judges, as user:NAME.", autocompletion=completion.readers,
        callback=checked_readers,
    )] = [],  # noqa: B006  (the parser needs a literal)
    questions: Annotated[Path | None, typer.Option(
        help='Questions to judge: JSON lines of {"question", "audience"}, or those of vouch ask --questions. Default: '
             "questions that people asked.",
    )] = None,
    seed: Annotated[int, typer.Option(help="Seed of the order of the passages.")] = 0,
    pool: Annotated[int | None, typer.Option(
        min=1, max=100, help="Passages from each of words, meaning, fusion and reranker. Default: VOUCH_LABELS__POOL.",
    )] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many questions.")] = None,
    as_json: Json = False,
) -> None:
    """Judge how relevant passages are."""
    if ctx.invoked_subcommand is not None:
        return
    if len(persons) != 1:
        cause = "several are named" if persons else "nobody is named"
        raise Usage(f"{cause} who judges", cure="vouch label --as user:NAME")
    [person] = persons
    from cli.learning.judging import judged_by_keys
    from cli.learning.keys import Keys

    with waiting("looking for questions"):
        from cli.wiring.training.labels import open_labeling
        from services.labeling.label_walk import LabelWalk

        labeling = open_labeling(pool)
        asked = _questions(labeling, labeling.check(person), questions)[:limit]
        walk = LabelWalk(labeling, person, asked, seed)
    if not as_json:
        say(f"{count(len(asked), 'question')}; seed {seed}")
    with closing(Keys()) as pressed:
        done = judged_by_keys(walk, pressed, as_json)
    if as_json:
        emit({**done, "questions": len(asked), "passed_over": walk.passed_over, "seed": seed})
    else:
        if walk.passed_over:
            say(f"{count(walk.passed_over, 'question')} passed over: {person} may read nothing that was found")
        rest = "nothing is left to judge" if done["finished"] else "run it again to go on"
        say(f"{count(done['judged'], 'passage')} judged and saved, {done['skipped']} skipped; {rest}")


@app.command(epilog="Example: vouch label collect")
def collect(as_json: Json = False) -> None:
    """Make labels from citations, votes and behaviour, again from all answers. Equal answers give equal labels."""
    with progress("starting") as listener:
        from cli.wiring.training.labels import collect as make

        done = make(listener)
    if as_json:
        emit({"answers": done.answers, "labels": done.labels})
        return
    made = ", ".join(f"{number} {source}" for source, number in done.labels.items()) or "none"
    say(f"labels from {count(done.answers, 'answer')}: {made}")


@app.command(epilog="Example: vouch label export labels.jsonl")
def export(
    file: Annotated[Path, typer.Argument(help="Where the labels are written; - is standard output.")],
    form: Form = Format.jsonl,
    questions: Annotated[Path | None, typer.Option(
        help="With qrels: the file that the questions are written to.",
    )] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also those from citations, votes and behaviour.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over files that exist.")] = False,
    as_json: Json = False,
) -> None:
    """Write the judgments to a file. It holds questions: keep it from people who may not see all of them."""
    from vouch.learning.labels.label import Source

    if everything and form is Format.qrels:
        raise Usage("qrels hold judgments alone", cure="leave out --all, or export as jsonl")
    _check_pair(form, questions)
    if questions == _OUTPUT:
        raise Usage("questions are written to a file", cure="name one with --questions")
    for place in (file, questions):
        if place is not None and place != _OUTPUT and place.exists() and not force:
            raise Usage(f"{place} exists already", cure="name a new file, or add --force")
    sources: tuple[Source, ...] = get_args(Source) if everything else ("judged",)
    if file == _OUTPUT:
        _print(questions, sources)
        return
    from cli.wiring.training.labels import export as write

    written = write(file, questions, sources)
    emit({"file": str(file), "lines": written}) if as_json else say(f"{count(written, 'label')} written to {file}")


def _print(questions: Path | None, sources: "Sequence[Source]") -> None:
    from cli.wiring.training.labels import exported_qrels, exported_rows

    if questions is None:
        for row in exported_rows(sources):
            emit(row)
        return
    for line in exported_qrels(questions, sources):
        say(line)


@app.command("import", epilog="Example: vouch label import judged.qrels --format qrels --questions topics.jsonl")
def import_(
    file: Annotated[Path, typer.Argument(help="Judgments, as vouch label export writes them.")],
    form: Form = Format.jsonl,
    questions: Topics = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take back the judgments of this file instead.")] = False,
    as_json: Json = False,
) -> None:
    """Read judgments of passages in the index from a file. If a line is wrong, none is taken.

    Lines that are there already change nothing. With --undo the judgments that are there as the file says them are
    deleted; what the same person judged anew since stays.
    """
    from cli.wiring.training.labels import take_in

    _check_pair(form, questions)
    if undo:
        _take_back(file, questions, as_json)
        return
    taken = take_in(file, questions)
    if as_json:
        emit({"file": str(file), "labels": taken.taken, "left_out": taken.left_out, "older": taken.older,
              "there": taken.there})
        return
    say(f"{count(taken.taken, 'label')} taken from {file}")
    if taken.left_out:
        say(f"{count(taken.left_out, 'line')} left out: no kept version of the index holds the passage, or the readers "
            "of the question may not read it")
    if taken.older:
        say(f"{count(taken.older, 'line')} left out: older than what is there")
    if taken.there:
        say(f"{count(taken.there, 'line')} left out: already there, with the same relevance")


def _take_back(file: Path, questions: Path | None, as_json: bool) -> None:
    from cli.wiring.training.labels import take_back

    back = take_back(file, questions)
    if as_json:
        emit({"file": str(file), "taken_back": back.gone, "left": back.left})
        return
    say(f"{count(back.gone, 'label')} of {file} taken back")
    if back.left:
        say(f"{count(back.left, 'line')} left: not there, or judged anew since")


def _check_pair(form: Format, questions: Path | None) -> None:
    if (form is Format.qrels) != (questions is not None):
        raise Usage("--format qrels and --questions belong together", cure="give both, or neither")


def _questions(labeling: "Labeling", person: str, file: Path | None) -> "list[ToJudge]":
    from services.labeling.judging import to_judge
    from vouch.adapters.data_files.labels import read_questions

    if file is None:
        return labeling.asked(person)
    found = [to_judge(text, audience, person) for text, audience in read_questions(file)]
    return list({one.key: one for one in found}.values())
