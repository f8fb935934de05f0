"""vouch gaps: what several people asked and did not find."""

from typing import Annotated, Any

import typer

from bots.wrapping import Line
from cli.activity import progress
from cli.output import Json, Readers, emit, on_one_line, say, warn, warn_unreadable
from cli.table import table
from vouch.wording import count

_UNNAMED = "(no word is shared by enough of them)"


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch gaps --weeks 2 --as group:staff")(gaps)


def gaps(
    weeks: Annotated[
        int | None,
        typer.Option(min=1, max=52, help="The period, compared with the one before. Default: VOUCH_GAPS__WEEKS."),
    ] = None,
    readers: Readers = [],  # noqa: B006  (the parser needs a literal)
    as_json: Json = False,
) -> None:
    """List what several people asked and did not find: declined, voted down, or answered with low confidence.

    Questions of like meaning are one gap. What fewer than VOUCH_GAPS__FEWEST_ASKERS people asked
    is left out. The nearest documents are named as far as every --as reader may read them;
    without --as: public documents only.
    """
    with progress("starting") as listener:
        from cli.wiring.gaps import open_gaps
        from vouch.access_check.names import asked_in_vain

        service = open_gaps()
        permissions = service.permissions()
        warn_unreadable(permissions)
        for tag in readers:
            if doubt := asked_in_vain(permissions.directory, tag):
                warn(doubt)
        report = service.report(readers, weeks=weeks, progress=listener)
    if as_json:
        emit(report)
        return
    _tell(report)


def _tell(report: dict[str, Any]) -> None:
    table(
        ["gap", "questions", "askers", "before", "why", "nearest documents"],
        [(_title(gap), gap["questions"], gap["askers"], _before(gap, report), _why(gap), _nearest(gap))
         for gap in report["gaps"]],
        empty=f"no gaps: nothing was asked in vain by {count(report['fewest_askers'], 'person', 'people')} or more",
    )  # fmt: skip
    for gap in report["gaps"]:
        for example in gap["examples"]:
            say(Line(f"{_title(gap)}: {on_one_line(example)}", "faint"))


def _title(gap: dict[str, Any]) -> str:
    return ", ".join(gap["title"]) or _UNNAMED


def _before(gap: dict[str, Any], report: dict[str, Any]) -> str:
    return f"under {report['fewest_askers']} askers" if gap["before"] is None else str(gap["before"])


def _why(gap: dict[str, Any]) -> str:
    return ", ".join(f"{number} {why}" for why, number in gap["why"].items())


def _nearest(gap: dict[str, Any]) -> str:
    return ", ".join(f"{one['source']}:{one['path']}" for one in gap["documents"]) or "none that may be named"
