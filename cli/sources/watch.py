"""vouch watch and vouch notify: say on the log what has changed, as it happens or when told."""

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import completion
from cli.terminal.output import Json, emit, say, warn
from vouch.errors import Busy, NotFound, Unavailable

if TYPE_CHECKING:
    from services.documents.announcing import Announcer
    from vouch.adapters.ledger import SourceRow
    from vouch.ports.ingestion import Watch


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch watch notes")(watch)
    app.command(epilog="Example: vouch notify handbook travel/booking.md")(notify)


def watch(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]…", help="Names of sources. Default: all.", autocompletion=completion.sources),
    ] = None,
    poll: Annotated[
        bool,
        typer.Option("--poll", help="Look at all files every two seconds; needed if other machines write there."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Watch sources until Ctrl-C or SIGTERM. A running `vouch worker` ingests what changes.

    In a folder it notices files that are written, moved or removed; in a repository, commits on the branch; in a file
    of events, new lines; and for all of them, edits of the access file, since new grants wait for a scan. Each source
    is announced as a whole at the start, and again when it was gone and is back, so that nothing is missed.
    """
    from cli.wiring.asking import open_announcer
    from consumers.process import stop_on_signals

    stop = threading.Event()
    with open_announcer() as announcer:
        rows = announcer.sources(names or [])
        if not rows:
            raise NotFound("there are no sources", cure="add one: vouch source add NAME --kind folder --path PATH")
        stop_on_signals(stop)
        _watch_all(_followed(rows, announcer, poll), announcer, stop, as_json)
    if not as_json:
        say("watch ended")


@dataclass(frozen=True, slots=True)
class Followed:
    """What is watched of a source. Each has its own `loop`, so that one that hangs is noticed beside the others."""

    source: str
    loop: str
    watch: "Watch"


def _followed(rows: "list[SourceRow]", announcer: "Announcer", poll: bool) -> list[Followed]:
    """The documents and the rules of each source."""
    from composition.sources import watch_of, watch_of_rules

    documents = [Followed(row.name, f"watch of {row.name}", watch_of(row, warn, poll)) for row in rows]
    return documents + [
        Followed(row.name, f"watch of the rules of {row.name}", watch_of_rules(row, announcer.ledger, warn))
        for row in rows
    ]


def _watch_all(watches: list[Followed], announcer: "Announcer", stop: threading.Event, as_json: bool) -> None:
    """Follows each in a thread of its own until `stop` is set; the failure of one ends them all."""
    failed: list[Exception] = []

    def follow(one: Followed) -> None:
        try:
            _follow(one, announcer, stop, as_json)
        except Exception as error:          # a watch that ended unseen would be worse than one that ends
            failed.append(error)
            stop.set()

    threads = [threading.Thread(target=follow, args=[one]) for one in watches]
    with announcer.shown():
        for thread in threads:
            thread.start()
        if not as_json:
            say(f"watching {', '.join(dict.fromkeys(one.source for one in watches))}")
        stop.wait()
        for thread in threads:
            thread.join()
    if failed:
        raise failed[0]


def _follow(one: Followed, announcer: "Announcer", stop: threading.Event, as_json: bool) -> None:
    """Sends what the watch announces; waits while the log is away, and the watch keeps what changes meanwhile."""
    from consumers.resilience import Backoff
    from services.documents.announcing import told

    name, loop = one.source, one.loop
    for paths in one.watch.changes(stop, lambda: announcer.telemetry.beat(loop)):
        failures = 0
        while not stop.is_set():
            try:
                sent = announcer.send(name, paths)
            except (Unavailable, Busy) as error:
                failures += 1
                seconds = Backoff().seconds(failures)
                warn(f"{name}: waiting for the log: {error}")
                announcer.telemetry.waits(loop, error, seconds)
                announcer.telemetry.beat(loop)
                stop.wait(seconds)
                continue
            announcer.telemetry.goes_on(loop)
            announcer.telemetry.count("messages", topic="documents.changed", outcome="sent")
            emit(sent.model_dump(mode="json")) if as_json else say(f"{name}: {told(sent.paths)}")
            break


def notify(
    source: Annotated[str, typer.Argument(help="Name of the source.", autocompletion=completion.sources)],
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]…", help="Documents and folders in it. Default: all of it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Announce that documents of a source changed. A running `vouch worker` ingests them when the source is quiet."""
    from cli.wiring.asking import open_announcer
    from services.documents.announcing import told

    with open_announcer() as announcer:
        sent = announcer.announce(source, paths)
    emit(sent.model_dump(mode="json")) if as_json else say(f"announced: {source}, {told(sent.paths)}")
