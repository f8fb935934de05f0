"""vouch doctor: is everything in order, and if not, what to do."""

import typer

from cli.output import Json, count, emit, say
from vouch.errors import Damaged


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch doctor")(doctor)


def doctor(as_json: Json = False) -> None:
    """Check settings, home, ledger, log, index files, access rules and the encoder. Exit code 8 if one fails."""
    from cli.checks import run_checks

    failed = 0
    for check in run_checks():
        failed += not check.sound
        if as_json:
            emit({"check": check.name, "sound": check.sound, "found": check.found, "cure": check.cure})
        else:
            say(f"{'ok  ' if check.sound else 'FAIL'} {check.name}: {check.found}")
            if check.cure and not check.sound:
                say(f"       try: {check.cure}")
    if failed:
        raise Damaged(f"{count(failed, 'check')} failed", cure="follow the lines marked FAIL")
