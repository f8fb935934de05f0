"""vouch gaps: what several people asked and did not find."""

from typing import Annotated, Any

import typer

from bots.wrapping import Line
from cli.terminal import completion
from cli.terminal.activity import progress
from cli.terminal.output import Json, Readers, emit, on_one_line, say, table, warn, warn_unreadable
from vouch.errors import NotFound
from vouch.plurals import count

_UNNAMED = "(no word is shared by enough of them)"


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch gaps --owner user:ana@acme.test")(gaps)


def gaps(
    weeks: Annotated[
        int | None,
        typer.Option(min=1, max=52, help=(
            "Length of the period, which is compared with the one before. Default: VOUCH_GAPS__WEEKS.")),
    ] = None,
    readers: Readers = [],  # noqa: B006  (the parser needs a literal)
    owner: Annotated[str | None, typer.Option(
        metavar="TAG", help="Only gaps near documents that this owner looks after and may read.",
        autocompletion=completion.readers,
    )] = None,
    as_json: Json = False,
) -> None:
    """List questions that several people asked in vain: declined, voted down, or answered with low confidence.

    Questions with the same meaning form one gap. A gap that fewer than VOUCH_GAPS__FEWEST_ASKERS people asked about is
    left out. The nearest documents are listed with their owners, if every --as reader may read them; without --as, only
    public ones. A question is shown only if that many people asked it in the same words, or if the person who asked it
    allowed this (vouch examples).
    """
    with progress("starting") as listener:
        from cli.wiring.training.labels import open_gaps
        from vouch.access import parse_tag
        from vouch.access_check.directory import asked_in_vain, unknown

        service = open_gaps()
        permissions = service.permissions()
        warn_unreadable(permissions)
        if owner and permissions.directory.people and (told := unknown(permissions.directory, parse_tag(owner))):
            raise NotFound(told, cure="name an owner of the directory: vouch directory show")
        for tag in [*([owner] if owner else []), *readers]:
            if doubt := asked_in_vain(permissions.directory, tag):
                warn(doubt)
        report = service.report(readers, weeks=weeks, owner=owner, progress=listener)
    if as_json:
        emit(report)
        return
    _tell(report)


def _tell(report: dict[str, Any]) -> None:
    table(
        ["gap", "questions", "askers", "before", "why", "nearest documents"],
        [(_title(gap), gap["questions"], gap["askers"], _before(gap, report), _why(gap), _nearest(gap))
         for gap in report["gaps"]],
        empty=_none(report),
    )  # fmt: skip
    for gap in report["gaps"]:
        for example in (*gap["examples"], *gap["allowed_examples"]):
            say(Line(f"{_title(gap)}: {on_one_line(example)}", "faint"))


def _none(report: dict[str, Any]) -> str:
    several = f"{count(report['fewest_askers'], 'person', 'people')} or more"
    if report["owner"]:
        return f"no gaps near documents of {report['owner']}: nothing that {several} asked in vain and may be shown"
    return f"no gaps: nothing was asked in vain by {several}"


def _title(gap: dict[str, Any]) -> str:
    return ", ".join(gap["title"]) or _UNNAMED


def _before(gap: dict[str, Any], report: dict[str, Any]) -> str:
    return f"under {report['fewest_askers']} askers" if gap["before"] is None else str(gap["before"])


def _why(gap: dict[str, Any]) -> str:
    return ", ".join(f"{number} {why}" for why, number in gap["why"].items())


def _nearest(gap: dict[str, Any]) -> str:
    return ", ".join(map(_document, gap["documents"])) or "none that may be named"


def _document(one: dict[str, Any]) -> str:
    owners = f" ({', '.join(one['owners'])})" if one["owners"] else ""
    return f"{one['source']}:{one['path']}{owners}"
