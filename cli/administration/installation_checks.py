"""Checks of `vouch doctor` on what an installation stands on: settings, home, ledger, log, outbox, the system."""

import os
import shlex
import stat
from pathlib import Path

from vouch.adapters.observability.health import probe_disk
from vouch.errors import NotFound
from vouch.plurals import count

HARD_LINKS = Path("/proc/sys/fs/protected_hardlinks")


def settings_check() -> tuple[str, tuple[str, ...]]:
    from cli.wiring.settings import command_settings, ignored_names

    command_settings()
    return "understood", tuple(ignored_names())


def home_check() -> str:
    from cli.wiring.administration import home_folder

    home = home_folder()
    if not os.access(home, os.W_OK):
        raise NotFound(f"{home} is not writable", cure="set VOUCH_HOME to a folder you may write")
    others = stat.S_IMODE(home.stat().st_mode) & 0o077
    if others:
        raise NotFound(f"{home} holds document texts and is open to other users of this machine",
                       cure=f"chmod 700 {shlex.quote(str(home))}")
    return f"{home}, {probe_disk(home)}"


def ledger_check() -> str:
    from cli.wiring.administration import open_administration

    admin = open_administration()
    return f"{count(len(admin.ledger.sources.list()), 'source')}, access epoch {admin.permissions.epoch}"


def log_check() -> str:
    from cli.wiring.status import log_lag, topics_missing

    missing, unlike = topics_missing()
    if missing:
        raise NotFound(f"topics are missing: {', '.join(missing)}", cure="vouch doctor --fix")
    waiting = ", ".join(f"{topic}: {waiting} waiting" for topic, waiting in log_lag().items())
    kept = f"; not as many partitions as set, so that keys stay in order: {', '.join(unlike)}"
    return waiting + (kept if unlike else "")


def outbox_check() -> str:
    from cli.wiring.administration import open_administration
    from cli.wiring.status import surfaces_served

    waiting, served = open_administration().ledger.outbox.waiting(), surfaces_served()
    vain = [f"{waiting[surface][0]} for {surface!r:.60}" for surface in sorted(waiting.keys() - served)]
    if vain:
        raise NotFound(f"answers wait for surfaces that no process serves with these settings: {', '.join(vain)}",
                       cure="set VOUCH_CALLBACK__… as in the process that serves them, or VOUCH_WORKER__SURFACES")
    return f"{count(sum(waiting_there for waiting_there, _ in waiting.values()), 'answer')} waiting"


def hard_links_check() -> str:
    """Whoever may link to a file that he cannot read may give it a name in a folder with open rules."""
    from cli.wiring.administration import open_administration
    from vouch.adapters.sources.kinds import kind_of

    if not any(kind_of(row).files for row in open_administration().ledger.sources.list()):
        return "no folder is a source"
    try:
        guarded = HARD_LINKS.read_text().strip() != "0"
    except OSError:
        return "this system does not say who may make them"
    if not guarded:
        raise NotFound("users can hard-link files that they cannot read, also into a folder with open rules",
                       cure="sysctl fs.protected_hardlinks=1")
    return "nobody can make one to a file that they may not read and write"
