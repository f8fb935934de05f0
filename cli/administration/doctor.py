"""vouch doctor: is everything in order, and if not, what to do."""

from typing import TYPE_CHECKING, Annotated

import typer

from bots.wrapping import Line
from cli.terminal.activity import progress
from cli.terminal.output import Json, emit, say, say_wrapped
from vouch.errors import Damaged
from vouch.plurals import count

if TYPE_CHECKING:
    from cli.administration.checks import Check


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch doctor")(doctor)


def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="First create missing Kafka topics.")] = False,
    as_json: Json = False,
) -> None:
    """Check settings, home, ledger, log, index, access rules, recipe and encoder. Exit code 8 if one fails."""
    failed = 0
    with progress("checking") as tell:
        from cli.administration.checks import run_checks
        from cli.wiring.status import topics_made

        for name in topics_made() if fix else ():
            emit({"made": f"topic {name}"}) if as_json else say(f"made topic {name}")
        for check in run_checks(lambda name: tell(f"checking {name}", 0, 0)):
            failed += not check.sound
            _show(check, as_json)
    if failed:
        raise Damaged(f"{count(failed, 'check')} failed", cure="follow the lines marked FAIL")


def _show(check: "Check", as_json: bool) -> None:
    if as_json:
        emit({"check": check.name, "sound": check.sound, "found": check.found, "cure": check.cure,
              "warnings": list(check.warnings)})
        return
    say_wrapped(Line("ok  ", "good") if check.sound else Line("FAIL", "bad"), f" {check.name}: {check.found}")
    for warning in check.warnings:
        say_wrapped(Line("     warning:", "warning"), f" {warning}")
    if check.cure and not check.sound:
        say(Line("     try:", "strong"), f" {check.cure}")
