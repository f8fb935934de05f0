"""The checks of `vouch doctor`. Each says what it found and, if that is wrong, what to do."""

import os
import shlex
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cli.terminal.output import people_and_groups
from vouch.adapters.observability.health import probe_disk
from vouch.errors import NotFound, VouchError
from vouch.plurals import count

MOST_NAMED = 20                         # documents in one line
HARD_LINKS = Path("/proc/sys/fs/protected_hardlinks")


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    sound: bool
    found: str
    cure: str = ""
    warnings: tuple[str, ...] = ()      # nothing is broken, and somebody should look at it


def run_checks(begins: Callable[[str], object] = len) -> Iterator[Check]:
    """Runs the checks in turn. A check that cannot run has failed, and the next ones still run, except after wrong
    settings.

    `begins` hears the name of each before it runs.
    """
    for name, look in _CHECKS.items():
        begins(name)
        try:
            result = look()
            yield Check(name, True, result) if isinstance(result, str) else Check(name, True, result[0], "", result[1])
        except VouchError as error:
            yield Check(name, False, error.cause, error.cure)
            if look is _settings:
                return


def _settings() -> str:
    from cli.wiring.settings import command_settings

    command_settings()
    return "understood"


def _home() -> str:
    from cli.wiring.administration import home_folder

    home = home_folder()
    if not os.access(home, os.W_OK):
        raise NotFound(f"{home} is not writable", cure="set VOUCH_HOME to a folder you may write")
    others = stat.S_IMODE(home.stat().st_mode) & 0o077
    if others:
        raise NotFound(f"{home} holds document texts and is open to other users of this machine",
                       cure=f"chmod 700 {shlex.quote(str(home))}")
    return f"{home}, {probe_disk(home)}"


def _ledger() -> str:
    from cli.wiring.administration import open_administration

    admin = open_administration()
    return f"{count(len(admin.ledger.sources.list()), 'source')}, access epoch {admin.permissions.epoch}"


def _access() -> str:
    from cli.wiring.administration import open_administration
    from services.documents.sources import source_rows, told_rules
    from vouch.access_check.sources import rules_cure

    admin = open_administration()
    rows = source_rows(admin)
    broken = [f"{row['name']}: {told_rules(row['rules'])}" for row in rows if row["rules"]["state"] != "ok"]
    if broken:
        raise NotFound("; ".join(broken), cure=rules_cure(admin.permissions.rulebooks))
    return "; ".join(f"{row['name']} {told_rules(row['rules'])}" for row in rows) or "no sources yet"


def _directory() -> str:
    from cli.wiring.administration import open_administration

    return people_and_groups(open_administration().permissions.directory)


def _oddities() -> tuple[str, tuple[str, ...]]:
    """Sound, but worth a look: rules without effect, names nobody has, documents nobody may read."""
    from cli.wiring.administration import open_administration
    from services.documents.sources import source_warnings
    from vouch.access_check.directory import directory_warnings

    admin = open_administration()
    told = (*directory_warnings(admin.permissions.directory), *source_warnings(admin))
    return count(len(told), "warning"), told


def _version() -> str:
    from cli.wiring.administration import open_administration

    admin = open_administration()
    current = admin.ledger.versions.current()
    if current is None:
        return "nothing ingested yet"
    problems = admin.store.verify(current)
    if problems:
        raise NotFound(f"version {current}: {'; '.join(problems)}", cure=admin.versions.cure(current))
    return f"version {current} is sound"


def _injections() -> str:
    """A note and no failure: such passages are never quoted, and a security handbook may well hold some."""
    from cli.wiring.administration import open_administration

    version = open_administration().store.open_current(documents_only=True)
    headers = [header for header in version.documents() if header.injections] if version else []
    if not headers:
        return "no passage reads like instructions to a language model"
    names = ", ".join(f"{header.source}:{header.path}" for header in headers[:MOST_NAMED])
    more = f" and {len(headers) - MOST_NAMED} more" if len(headers) > MOST_NAMED else ""
    passages = sum(header.injections for header in headers)
    summary = f"{count(passages, 'passage')} that may give instructions to a language model, never quoted"
    return f"{summary}, in {names}{more}"


def _documents() -> str:
    from cli.wiring.administration import open_administration

    version = open_administration().store.open_current(documents_only=True)
    if version is None:
        return "none yet"
    counts = version.manifest.counts
    why = "; vouch documents shows why" if counts.quarantined else ""
    return f"{counts.documents} in the index, {counts.quarantined} of them quarantined{why}"


def _model() -> str:
    from cli.wiring.status import try_model

    return try_model()


def _ingestion() -> str:
    from cli.wiring.administration import open_administration

    hold = open_administration().versions.hold()
    return f"{hold['told']}; to allow them again: vouch versions release" if hold else "allowed"


def _lexical() -> str:
    from cli.wiring.administration import open_administration

    return open_administration().store.lexical.check()


def _vectors() -> str:
    from cli.wiring.asking import vector_kind

    return vector_kind()


def _purges() -> str:
    from cli.wiring.administration import open_administration

    rows = open_administration().ledger.purges.all()
    pending = [f"{row.source}:{row.path}" for row in rows if row.state != "done"]
    if pending:
        raise NotFound(f"not finished: {', '.join(pending)}", cure="vouch tidy says what is left")
    return f"{count(len(rows), 'document')} purged so far"


def _log() -> str:
    from cli.wiring.status import log_lag, topics_missing

    missing, unlike = topics_missing()
    if missing:
        raise NotFound(f"topics are missing: {', '.join(missing)}", cure="vouch doctor --fix")
    waiting = ", ".join(f"{topic}: {waiting} waiting" for topic, waiting in log_lag().items())
    kept = f"; not as many partitions as set, so that keys stay in order: {', '.join(unlike)}"
    return waiting + (kept if unlike else "")


def _outbox() -> str:
    from cli.wiring.administration import open_administration
    from cli.wiring.status import surfaces_served

    waiting, served = open_administration().ledger.outbox.waiting(), surfaces_served()
    vain = [f"{waiting[surface][0]} for {surface!r:.60}" for surface in sorted(waiting.keys() - served)]
    if vain:
        raise NotFound(f"answers wait for surfaces that no process serves with these settings: {', '.join(vain)}",
                       cure="set VOUCH_CALLBACK__… as in the process that serves them, or VOUCH_WORKER__SURFACES")
    return f"{count(sum(waiting_there for waiting_there, _ in waiting.values()), 'answer')} waiting"


def _hard_links() -> str:
    """Whoever may link to a file that he cannot read may give it a name in a folder with open rules."""
    from cli.wiring.administration import open_administration

    if not any(row.kind == "folder" for row in open_administration().ledger.sources.list()):
        return "no folder is a source"
    try:
        guarded = HARD_LINKS.read_text().strip() != "0"
    except OSError:
        return "this system does not say who may make them"
    if not guarded:
        raise NotFound("users can hard-link files that they cannot read, also into a folder with open rules",
                       cure="sysctl fs.protected_hardlinks=1")
    return "nobody can make one to a file that they may not read and write"


def _recipe() -> str:
    from cli.wiring.asking import try_recipe

    return try_recipe()


def _encoder() -> str:
    from cli.wiring.asking import try_encoder

    return try_encoder()


def _fusion() -> str:
    from cli.wiring.training.models import try_fusion

    return try_fusion()


def _reranker() -> str:
    from cli.wiring.training.models import try_reranker

    return try_reranker()


def _evaluator() -> str:
    from cli.wiring.training.models import try_evaluator

    return try_evaluator()


def _agent() -> str:
    from cli.wiring.training.models import try_agent

    return try_agent()


_NEWEST = 1000                          # answers, of which it is told how many people asked


def _guard() -> tuple[str, tuple[str, ...]]:
    """Sound: the former model serves. Somebody should look at why."""
    from cli.wiring.administration import open_administration
    from vouch.adapters.ledger.registry.going_back import put_back, unguarded

    ledger = open_administration().ledger
    told = put_back(ledger.models)
    blind = unguarded(ledger.models, ledger.answer_figures.askers(_NEWEST), _NEWEST)
    return count(len(told), "model") + " put back by the guard", (*told, *blind)


_CHECKS: dict[str, Callable[[], str | tuple[str, tuple[str, ...]]]] = {
    "settings": _settings,
    "home": _home,
    "ledger": _ledger,
    "access rules": _access,
    "directory": _directory,
    "permissions": _oddities,
    "index": _version,
    "documents": _documents,
    "lexical": _lexical,
    "vectors": _vectors,
    "prompt injections": _injections,
    "ingestion": _ingestion,
    "purges": _purges,
    "log": _log,
    "outbox": _outbox,
    "hard links": _hard_links,
    "recipe": _recipe,
    "encoder": _encoder,
    "fusion": _fusion,
    "reranker": _reranker,
    "evaluator": _evaluator,
    "agent": _agent,
    "guard": _guard,
    "model": _model,
}
