"""vouch status: what waits, what is down, and what runs."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import typer

from bots.wrapping import Line
from cli.terminal.activity import waiting
from cli.terminal.output import Json, emit, say, say_wrapped, table
from vouch.errors import Unavailable
from vouch.plurals import count

UNSERVED = "with these settings no process serves it, and answers fail after waiting for a day"

if TYPE_CHECKING:
    from consumers.monitoring.status import StatusSnapshot


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch status --json")(status)


def status(as_json: Json = False) -> None:
    """Show which servers and models answer, what waits on the log and in the outbox, and which processes run.

    Exit code 10 if one of them does not answer.
    """
    with waiting("looking"):
        from cli.wiring.status import running_processes, standing
        from services.operating.status import status_row

        look, processes = standing().look(), running_processes()
    if as_json:
        emit(status_row(look, processes))
    else:
        _show(look, processes)
    down = [machine for machine in look.machines if not machine.up]
    if down:
        raise Unavailable(f"down: {', '.join(machine.name for machine in down)}", cure=down[0].cure)


def _show(look: "StatusSnapshot", processes: list[dict[str, Any]]) -> None:
    for machine in look.machines:
        say_wrapped(Line("up  ", "good") if machine.up else Line("DOWN", "bad"), f" {machine.name}: {machine.found}")
    if look.version is not None:
        say(f"version {look.version}, {_ago(look.version_age_s or 0)} old")
    if look.quarantined:
        say(f"{count(look.quarantined, 'document')} quarantined; vouch documents shows why")
    if look.held:
        say(f"{look.held}; to allow them again: vouch versions release")
    for why in look.put_back:
        say_wrapped(Line("model", "warning"), f" {why}; to see its figures: vouch models show NAME")
    if look.lags:
        from services.operating.status import lag_by_topic

        table(["topic", "group", "waiting", "of these, by partition"],
              [(topic, lag["group"], lag["waiting"], _places(lag["partitions"]))
               for topic, lag in lag_by_topic(look).items()], title="log")
    for surface, (unsent, age) in (look.unsent or {}).items():
        vain = f"; {UNSERVED}" if surface in look.unserved else ""
        wait = "waits" if unsent == 1 else "wait"
        oldest = "" if unsent == 1 else ", the oldest"
        say(f"outbox: {count(unsent, 'answer')} {wait} for {surface}{oldest} for {_ago(age)}{vain}")
    counts = (f"{look.outbox.get(state, 0)} {state}" for state in ("sent", "failed")) if look.outbox is not None else ()
    say("outbox: " + (", ".join(counts) or "not known"))
    say("dead: " + (", ".join(f"{topic} {dead}" for topic, dead in (look.dead or {}).items()) or "not known"))
    for process in processes:
        say(f"{process['role']} {process['pid']}, for {_ago(_since(process['since']))}")
        for wait in process["waiting"]:
            say(f"  waits for {wait['machine']} for {_ago(_since(wait['since']))}: {wait['cause']}")
        for loop in process["stuck"]:
            say(f"  {loop} is stuck")
    if not processes:
        say("no worker, sender or watch runs on this home")
    if any(lag.topic == "questions" and lag.waiting for lag in look.lags) and not any(
        "questions" in process["does"] for process in processes
    ):
        say_wrapped(Line("questions wait", "warning"), ", and no process of this home takes them off: vouch worker")


def _places(partitions: dict[str, int]) -> str:
    return ", ".join(f"{name}: {waiting}" for name, waiting in partitions.items() if waiting)


def _since(epoch: float) -> float:
    return datetime.now(UTC).timestamp() - epoch


def _ago(seconds: float) -> str:
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
