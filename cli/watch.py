"""vouch watch: notice changes of sources as they happen, and say so on the log."""

import threading
from typing import TYPE_CHECKING, Annotated

import typer

from cli import completion
from cli.output import Json, emit, say, warn
from vouch.errors import Busy, NotFound, Unavailable

if TYPE_CHECKING:
    from cli.notices import Notices
    from vouch.ports.watch import Watch


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch watch notes")(watch)


def watch(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]…", help="Sources; none means all.", autocompletion=completion.sources),
    ] = None,
    poll: Annotated[
        bool, typer.Option("--poll", help="Look at every file again and again: for folders other machines write to.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Watch sources until Ctrl-C or SIGTERM. A running `vouch worker` ingests what changes.

    A folder is watched for files that are written, moved or removed, a
    repository for commits on its branch, a file of events for its growth, and
    the access file of each for edits, which may grant what waits for a scan.
    Each source is announced whole at the start, and when it was gone and is
    back, so that nothing is missed.
    """
    from cli.wiring.watching import open_notices, watch_of, watch_of_rules
    from consumers.signals import stop_on_signals

    stop = threading.Event()
    with open_notices() as notices:
        rows = notices.sources(names or [])
        if not rows:
            raise NotFound("there are no sources", cure="add one: vouch source add NAME --kind folder --path PATH")
        stop_on_signals(stop)
        watches = [(row.name, watch_of(row, warn, poll)) for row in rows]
        watches += [(row.name, watch_of_rules(row, notices.ledger, warn)) for row in rows]
        _watch_all(watches, notices, stop, as_json)
    if not as_json:
        say("watch ended")


def _watch_all(watches: "list[tuple[str, Watch]]", notices: "Notices", stop: threading.Event, as_json: bool) -> None:
    """Follows each source in a thread of its own until `stop` is set; the failure of one ends them all."""
    failed: list[Exception] = []

    def follow(name: str, watched: "Watch") -> None:
        try:
            _follow(name, watched, notices, stop, as_json)
        except Exception as error:          # a watch that ended unseen would be worse than one that ends
            failed.append(error)
            stop.set()

    threads = [threading.Thread(target=follow, args=each) for each in watches]
    with notices.shown():
        for thread in threads:
            thread.start()
        if not as_json:
            say(f"watching {', '.join(dict.fromkeys(name for name, _ in watches))}")
        stop.wait()
        for thread in threads:
            thread.join()
    if failed:
        raise failed[0]


def _follow(name: str, watched: "Watch", notices: "Notices", stop: threading.Event, as_json: bool) -> None:
    """Sends what the watch notices; waits while the log is away, and the watch keeps what changes meanwhile."""
    from cli.notices import told
    from consumers.backoff import Backoff

    loop = f"watch of {name}"
    for paths in watched.changes(stop, lambda: notices.vitals.beat(loop)):
        failures = 0
        while not stop.is_set():
            try:
                sent = notices.send(name, paths)
            except (Unavailable, Busy) as error:
                failures += 1
                seconds = Backoff().seconds(failures)
                warn(f"{name}: waiting for the log: {error}")
                notices.vitals.waits(loop, error, seconds)
                notices.vitals.beat(loop)
                stop.wait(seconds)
                continue
            notices.vitals.goes_on(loop)
            notices.vitals.count("messages", topic="documents.changed", outcome="sent")
            emit(sent.model_dump(mode="json")) if as_json else say(f"{name}: {told(sent.paths)}")
            break
