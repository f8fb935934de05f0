"""vouch directory: who is in which group."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, people_and_groups, say, table, warn

app = command_group("Load and show people and groups.")


@app.command(epilog="Example: vouch directory load directory.yaml")
def load(
    file: Annotated[Path, typer.Argument(help="YAML with people and groups.")],
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Go on even if many people would be removed.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Replace the directory of people and groups with FILE. A file that cannot be understood changes nothing."""
    from cli.wiring.administration import most_people_removed, open_administration
    from services.documents.sources import source_warnings
    from vouch.access_check.directory import directory_warnings, guard_people
    from vouch.adapters.access.files import read_directory

    directory = read_directory(file)
    admin = open_administration()
    if not allow_removals:
        guard_people(admin.ledger.access.permissions().directory, directory, most_people_removed())
    changed = admin.ledger.access.set_directory(directory)
    row = {
        "people": len(directory.people),
        "groups": len(directory.groups),
        "changed": changed,
        "access_epoch": admin.ledger.access.epoch(),
    }
    emit(row) if as_json else say(
        f"{people_and_groups(directory)}; access epoch {row['access_epoch']}"
        + ("" if changed else " (nothing changed)")
    )
    for warning in (*directory_warnings(directory), *source_warnings(admin)):
        warn(warning)


@app.command(epilog="Example: vouch directory show --json")
def show(as_json: Json = False) -> None:
    """Show people with the groups they hold now, nested ones included."""
    from datetime import UTC, datetime

    from cli.wiring.administration import open_administration
    from vouch.access_check.directory import last_day

    directory = open_administration().ledger.access.permissions().directory
    now = datetime.now(UTC)
    rows: list[dict[str, Any]] = [
        {
            "person": name,
            "groups": list(person.groups),
            "until": last_day(person.until) if person.until else None,
            "holds": sorted(directory.reader(f"user:{name}", now).principals),
        }
        for name, person in sorted(directory.people.items())
    ]
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["person", "groups", "until", "holds now"],
          [(r["person"], ", ".join(r["groups"]), r["until"], ", ".join(r["holds"])) for r in rows],
          empty="the directory is empty; vouch directory load FILE fills it")
