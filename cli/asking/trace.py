"""vouch trace: how an answer was made, and its recorded steps run again."""

from typing import Annotated, Any

import typer

from bots.steps_line import steps_line
from cli.terminal.activity import waiting
from cli.terminal.output import Json, Readers, emit, on_one_line, say, table
from vouch.answering.answer import searched_for
from vouch.answering.spending import told_cost
from vouch.errors import NotFound, Usage

_HEADS = ["step", "tool", "for", "same", "gone", "new", "error before", "error now"]


def tell_replay(row: dict[str, Any]) -> None:
    """Prints a line for each step, and sentences for the differences only."""
    version = row["index_version"]
    say(f"recorded on index version {version['before']}, run again on {version['now']}")
    table(_HEADS, [
        (step["number"], step["tool"], on_one_line(step["for"]), len(step["same"]), len(step["gone"]), len(step["new"]),
         step["error"]["before"], step["error"]["now"] or ("" if step["taken"] else "not taken"))
        for step in row["steps"]
    ])  # fmt: skip
    say("every passage that a step found is counted; the trace counts those that the answer depends on")
    for step in row["steps"]:
        for what in ("gone", "new"):
            for chunk in step[what]:
                say(f"step {step['number']}: {what} {chunk}")
    for what in ("stopped", "verdict"):
        if row[what]["before"] != row[what]["now"]:
            say(f"{what}: {row[what]['before'] or 'nothing'} before, {row[what]['now'] or 'nothing'} now")
    if not differs(row):
        say("no difference")


def differs(row: dict[str, Any]) -> bool:
    steps = any(one["gone"] or one["new"] or not one["taken"] or one["error"]["before"] != one["error"]["now"]
                for one in row["steps"])
    return steps or any(row[what]["before"] != row[what]["now"] for what in ("stopped", "verdict"))


_MOST = 20                              # passages that people are shown; --json has all


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch trace 9c1d02  --as user:ana@acme.test")(trace)


def trace(
    answer_id: Annotated[str, typer.Argument(help="Id of an answer; vouch ask --verbose shows it.")],
    readers: Readers = [],  # noqa: B006  (the parser needs a literal)
    replay: Annotated[bool, typer.Option("--replay", help="Run its further steps again, and show the differences.")
                      ] = False,
    version: Annotated[int | None, typer.Option("--index-version", min=1, help=(
        "With --replay: the version of the index to run on. Default: the current one.")
    )] = None,
    as_json: Json = False,
) -> None:
    """Show how an answer was made, if one of the --as readers asked, and all may still read what the answer cites."""
    if version is not None and not replay:
        raise Usage("--index-version says nothing without --replay", cure="add --replay")
    try:
        if replay:
            _replay(answer_id, readers or ["public"], version, as_json=as_json)
        else:
            _trace(answer_id, readers or ["public"], as_json=as_json)
    except NotFound as error:
        if readers or "versions" in error.cure:     # it is the version of the index that is not there
            raise
        raise NotFound(error.cause, cure="say who asked the question: --as user:NAME; vouch ask --verbose shows the id "
                       "of an answer") from error


def _trace(answer_id: str, readers: list[str], *, as_json: bool) -> None:
    with waiting("looking"):
        from cli.wiring.asking import open_traces

        row = open_traces().trace_of(answer_id, readers)
    emit(row) if as_json else _tell(row)


def _replay(answer_id: str, readers: list[str], version: int | None, *, as_json: bool) -> None:
    with waiting("running the steps again"):
        from cli.wiring.asking import open_replay

        row = open_replay(version).replay(answer_id, readers)
    emit(row) if as_json else tell_replay(row)


def _tell(row: dict[str, Any]) -> None:
    say(on_one_line(row["question"]))
    if words := searched_for(row):
        by = f" (by {on_one_line(row['understood_by'])})" if row.get("understood_by") else ""
        say(f"searched for: {on_one_line(words)}{by}")
    say(f"{row['action'].replace('_', ' ')}{': ' + row['reason'] if row['reason'] else ''}")
    verdict = row["verdict"]
    if verdict and "scores" not in verdict:         # of a partial trace
        say(f"evidence {verdict['kind']}")
    elif verdict:
        from vouch.correction.evaluation import told_apart

        limits = verdict["thresholds"]
        lower, upper, *_ = told_apart(limits["lower"], limits["upper"], *sorted(verdict["scores"])[-1:])
        say(f"evidence {verdict['kind']}: {verdict['reason']} (ambiguous from {lower}, correct from {upper})")
    read = f" (for it {row['read_by']} read the passages)" if row.get("read_by") else ""
    say(f"index version {row['index_version']}, fused by {row['fused_by'] or 'nothing'}, reranked by "
        f"{row['reranked_by'] or 'nothing'}, judged by {row['judged_by'] or 'nothing'}{read}, "
        f"written by {row['model']}")
    if spent := told_cost(row.get("tokens", {})):
        say(f"language model: {spent}")
    _tell_recipe(row)
    _tell_steps(row)
    table(["stage", "from ms", "took ms"], [(entry["stage"], entry["since"], entry["ms"]) for entry in row["timings"]])
    numbers = ["lexical_rank", "dense_rank", "fused_rank", "rerank_rank"] if row["whole"] else []
    head = ["passage", *(["words", "meaning", "fused", "reranked", "judged"] if numbers else []), "used"]
    table(head, [_row(entry, numbers) for entry in row["candidates"][:_MOST]], empty="no passage was looked at")
    if row.get("partial"):
        say("Something that the answer was made from has changed since, or you may not read it any more: the answer "
            "and what was searched for by its words are left out. To get a new answer, ask again.")
    if not row["whole"]:
        say("Some of what was looked at has changed since, or may not be read any more: numbers are left out.")
    if row.get("swapped"):
        say(f"A draw let the passages at places {' and '.join(map(str, row['swapped']))} change places.")
    if len(row["candidates"]) > _MOST:
        say(f"and {len(row['candidates']) - _MOST} more: --json shows them, with features and what each adds")


def _tell_recipe(row: dict[str, Any]) -> None:
    if row.get("recipe"):
        say(f"searched by the recipe {row['recipe']}")
    for one in row.get("recipe_steps", ()):
        said = f": {on_one_line('; '.join(one['said']))}" if one["said"] else ""
        say(f"{one['step']} by {on_one_line(one['by'])}{said}")


def _tell_steps(row: dict[str, Any]) -> None:
    if line := steps_line(row):
        say(line)
    if row.get("steps"):
        table(["step", "tool", "for", "found", "took ms", "by", "why"], [
            (n, step["tool"], on_one_line(_wanted(step)), step["error"] or len(step["passages"]), step.get("ms", ""),
             step["by"], on_one_line(step["thought"]))
            for n, step in enumerate(row["steps"], 1)
        ])  # fmt: skip
    for step in row.get("orders", ()):
        say(f"before step {step['step']} an order by {step['by']} {_ended_or_not(step)}")


def _ended_or_not(order: dict[str, Any]) -> str:
    if not order["error"]:
        how = f" ({order['ends']})" if order.get("ends") else ""
        return f"ended it{how}: {on_one_line(order['thought'])}"
    problem = f" ({on_one_line(order['problem'])})" if order.get("problem") else ""
    return f"could not be used: {order['error']}{problem}"


def _wanted(step: dict[str, Any]) -> str:
    """What was searched for, with what narrowed it, or the passage that was opened."""
    if step.get("withheld"):
        return "(cannot be shown any more)"
    narrowed = [f"{name}:{step[name]}" for name in ("source", "path", "after", "section") if step.get(name)]
    return " ".join([step["query"] or step.get("opened") or "", *narrowed]).strip()


def _row(one: dict[str, Any], numbers: list[str]) -> list[object]:
    where = one["place"] or f"passage {one['number']}"
    place = f"{one['source']}:{one['path']}, {where}"
    likely = [] if not numbers else ["" if one["probability"] is None else f"{one['probability']:.2f}"]
    used = "cited" if one["cited"] else "given" if one["given"] else ""
    return [place, *(one[name] or "" for name in numbers), *likely, used]
