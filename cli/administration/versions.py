"""vouch versions: the published states of the index."""

from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import completion
from cli.terminal.activity import waiting
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, moment, say, table
from vouch.plurals import count

if TYPE_CHECKING:
    from services.documents.administration import Administration

app = command_group("List, inspect, verify, compare, roll back, compact and sweep versions of the index.")
Number = Annotated[
    int, typer.Argument(min=1, help="Number of a version.", autocompletion=completion.versions)
]


@app.command("list", epilog="Example: vouch versions list")
def list_versions(as_json: Json = False) -> None:
    """List all versions, oldest first; the current one is marked."""
    from cli.wiring.administration import open_administration

    admin = open_administration()
    rows = admin.versions.rows()
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["version", "parent", "state", "created", "what changed", "current"],
          [(r["version"], r["parent"], r["state"], moment(r["created_at"]), r["told"], "*" if r["current"] else "")
           for r in rows], empty="there are no versions; vouch ingest makes the first")
    _say_hold(admin)


@app.command(epilog="Example: vouch versions show 3 --json")
def show(number: Number, as_json: Json = False) -> None:
    """Show the manifest of a version."""
    from cli.wiring.administration import open_administration
    from indexers.segments.hnsw import warnings_of

    admin = open_administration()
    manifest = admin.store.manifest(number).model_dump(mode="json")
    run = next((run.report for run in admin.ledger.runs.list(None) if run.report["version"] == number), None)
    warnings = warnings_of(manifest["fingerprints"])
    if as_json:
        emit({**manifest, "warnings": warnings, "run": run, "hold": admin.versions.hold()})
        return
    counts, prints = manifest["counts"], manifest["fingerprints"]
    say(f"version {number}, parent {manifest['parent']}, created {moment(manifest['created_at'])}")
    say("  " + ", ".join(f"{value} {key}" for key, value in counts.items()))
    say(f"  {count(len(manifest['segments']), 'segment')}, {count(len(manifest['parts']), 'part')}")
    say("  " + ", ".join(f"{key} {value}" for key, value in prints.items()))
    for warning in warnings:
        say(f"  {warning}")
    if run:
        say("  made by an ingest: " + ", ".join(f"{value} {key}" for key, value in run["documents"].items()))
    _say_hold(admin)


@app.command(epilog="Example: vouch versions verify 3")
def verify(
    number: Annotated[
        int | None,
        typer.Argument(min=1, help="Version; none means the current one.", autocompletion=completion.versions),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare every file of a version with its checksum. Exit code 8 if one is damaged."""
    from vouch.errors import Damaged

    with waiting("verifying"):
        from cli.wiring.administration import open_administration

        admin = open_administration()
        number = number if number is not None else admin.current_version()
        problems = admin.store.verify(number)
    if as_json:
        emit({"version": number, "sound": not problems, "problems": problems})
    elif not problems:
        say(f"version {number} is sound")
    if problems:
        raise Damaged(f"version {number}: {'; '.join(problems)}", cure=admin.versions.cure(number))


@app.command(epilog="Example: vouch versions rollback 2")
def rollback(
    number: Number,
    hide: Annotated[
        bool, typer.Option("--hide", help="Roll back, and keep the documents hidden that fewer people may read now.")
    ] = False,
    allow_widening: Annotated[
        bool, typer.Option("--allow-widening", help="Roll back, and show these documents to more people again.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Go back to an earlier version, and stop ingests until `vouch versions release`.

    Permissions stay the current ones. A rollback is refused if documents would be
    shown to people who may not read them now: they moved, were narrowed,
    quarantined or removed since, or are in a damaged version.
    """
    from vouch.errors import Usage

    if hide and allow_widening:
        raise Usage("--hide and --allow-widening cannot be used together", cure="choose one of them")
    with waiting(f"going back to version {number}"):
        from cli.wiring.administration import open_administration
        from cli.wiring.noting import noted_at_terminal
        from services.operating.operators import rollback_act

        admin = open_administration()
        with noted_at_terminal(admin.ledger)(rollback_act(number, hide=hide, allow_widening=allow_widening)):
            new, hidden = admin.versions.rollback(number, admin.permissions, hide=hide, allow_widening=allow_widening)
    if as_json:
        emit({"version": new, "content_of": number, "held": True, "hidden": [":".join(file) for file in hidden]})
        return
    say(f"version {new} has the documents of version {number}; permissions are unchanged.")
    for file in hidden:
        say(f"  hidden, since not everyone who could read it then can read it now: {':'.join(file)}")
    say("Ingests are stopped. To allow them again: vouch versions release")


@app.command(epilog="Example: vouch versions release")
def release(as_json: Json = False) -> None:
    """Allow ingests again after a rollback. The next one brings the index up to date."""
    from cli.wiring.administration import open_administration
    from cli.wiring.noting import noted_at_terminal
    from services.operating.operators import RELEASE

    admin = open_administration()
    with noted_at_terminal(admin.ledger)(RELEASE):
        hold = admin.versions.release()
    emit({"released": hold}) if as_json else say(
        f"ingests are allowed again; version {hold['version']}, with the content of version {hold['content_of']}, "
        "had stopped them"
    )


@app.command(epilog="Example: vouch versions sweep --dry-run")
def sweep(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be deleted; change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Delete old versions and files that no version uses.

    Ingestion does this by itself once an hour. VOUCH_INDEX__KEEP_VERSIONS and VOUCH_INDEX__KEEP_DAYS say what is kept;
    versions in use stay.
    """
    from dataclasses import asdict

    from vouch.errors import Busy

    with waiting("sweeping"):
        from cli.wiring.administration import open_administration

        swept = open_administration().store.sweep(dry_run=dry_run)
    if swept.waiting:
        raise Busy("a publish or another sweep is under way", cure="run it again when that has ended")
    if as_json:
        emit({**asdict(swept), "dry_run": dry_run})
        return
    for folder in swept.deleted:
        say(f"deleted {folder}" if not dry_run else f"would delete {folder}")
    for number in swept.pinned:
        say(f"version {number} stays because somebody has it open")
    done = "to retire" if dry_run else "retired"
    folders = count(len(swept.deleted), "folder")
    server = f", {count(swept.rows, 'row')} on the server" if swept.rows else ""
    say(f"{count(len(swept.retired), 'version')} {done}, {folders}, {swept.bytes / 1e6:.1f} MB{server}")


@app.command(epilog="Example: vouch versions compact")
def compact(as_json: Json = False) -> None:
    """Rewrite the current index into as few files as possible. Rows of deleted passages are left out.

    Ingestion does this piece by piece, so it is seldom needed. Answers stay
    the same, bit for bit; earlier versions keep their files until they are swept.
    """
    with waiting("compacting"):
        from cli.wiring.administration import open_administration

        done = open_administration().versions.compact()
    if as_json:
        emit({"version": done.version if done else None, "rows_written": done.rows_written if done else 0})
    elif done is None:
        say("the current version is compact already; no new version was made")
    else:
        say(f"version {done.version} has the same documents; {done.rows_written} index rows were written")


@app.command(epilog="Example: vouch versions diff 1 2")
def diff(older: Number, newer: Number, as_json: Json = False) -> None:
    """Show which documents differ between two versions."""
    with waiting("comparing"):
        from cli.wiring.administration import open_administration

        row = open_administration().versions.diff(older, newer)
    if as_json:
        emit(row)
        return
    for kind in ("added", "changed", "renamed", "removed"):
        for entry in row[kind]:
            say(f"{kind:8} {entry}")
    say("chunks: " + ", ".join(f"{count} {kind}" for kind, count in row["chunks"].items()))


def _say_hold(admin: "Administration") -> None:
    hold = admin.versions.hold()
    if hold is not None:
        say(f"{hold['told']}; to allow them again: vouch versions release")
