"""vouch doctor: is everything in order, and if not, what to do."""

from typing import Annotated

import typer

from cli.output import Json, count, emit, say
from vouch.errors import Damaged


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch doctor")(doctor)


def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="First make what is missing: the topics on Kafka.")] = False,
    as_json: Json = False,
) -> None:
    """Check settings, home, ledger, log, index files, access rules and the encoder. Exit code 8 if one fails."""
    from cli.checks import run_checks
    from cli.wiring.log import topics_made

    for name in topics_made() if fix else ():
        emit({"made": f"topic {name}"}) if as_json else say(f"made topic {name}")
    failed = 0
    for check in run_checks():
        failed += not check.sound
        if as_json:
            emit({"check": check.name, "sound": check.sound, "found": check.found, "cure": check.cure,
                  "warnings": list(check.warnings)})
        else:
            say(f"{'ok  ' if check.sound else 'FAIL'} {check.name}: {check.found}")
            for warning in check.warnings:
                say(f"     warning: {warning}")
            if check.cure and not check.sound:
                say(f"       try: {check.cure}")
    if failed:
        raise Damaged(f"{count(failed, 'check')} failed", cure="follow the lines marked FAIL")
