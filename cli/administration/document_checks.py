"""Checks of `vouch doctor` on documents and who may read them: access files, the index, what was taken in or purged."""

from cli.terminal.output import people_and_groups
from vouch.errors import NotFound
from vouch.plurals import count

MOST_NAMED = 20                         # documents in one line


def access_rules_check() -> str:
    from cli.wiring.administration import open_administration
    from services.documents.sources import source_rows, told_rules
    from vouch.access_check.sources import rules_cure

    admin = open_administration()
    rows = source_rows(admin)
    broken = [f"{row['name']}: {told_rules(row['rules'])}" for row in rows if row["rules"]["state"] != "ok"]
    if broken:
        raise NotFound("; ".join(broken), cure=rules_cure(admin.permissions.rulebooks))
    return "; ".join(f"{row['name']} {told_rules(row['rules'])}" for row in rows) or "no sources yet"


def directory_check() -> str:
    from cli.wiring.administration import open_administration

    return people_and_groups(open_administration().permissions.directory)


def oddities_check() -> tuple[str, tuple[str, ...]]:
    """Sound, but worth a look: rules without effect, names nobody has, documents nobody may read."""
    from cli.wiring.administration import open_administration
    from services.documents.sources import source_warnings
    from vouch.access_check.directory import directory_warnings

    admin = open_administration()
    told = (*directory_warnings(admin.permissions.directory), *source_warnings(admin))
    return count(len(told), "warning"), told


def current_version_check() -> str:
    from cli.wiring.administration import open_administration

    admin = open_administration()
    current = admin.ledger.versions.current()
    if current is None:
        return "nothing ingested yet"
    problems = admin.store.verify(current)
    if problems:
        raise NotFound(f"version {current}: {'; '.join(problems)}", cure=admin.versions.cure(current))
    return f"version {current} is sound"


def documents_check() -> str:
    from cli.wiring.administration import open_administration

    version = open_administration().store.open_current(documents_only=True)
    if version is None:
        return "none yet"
    counts = version.manifest.counts
    why = "; vouch documents shows why" if counts.quarantined else ""
    return f"{counts.documents} in the index, {counts.quarantined} of them quarantined{why}"


def lexical_engine_check() -> str:
    from cli.wiring.administration import open_administration

    return open_administration().store.lexical.check()


def vectors_check() -> str:
    from cli.wiring.asking import vector_kind

    return vector_kind()


def prompt_injections_check() -> str:
    """A note and no failure: such passages are never quoted, and a security handbook may well hold some."""
    from cli.wiring.administration import open_administration

    version = open_administration().store.open_current(documents_only=True)
    headers = [header for header in version.documents() if header.injections] if version else []
    if not headers:
        return "no passage reads like instructions to a language model"
    names = ", ".join(f"{header.source}:{header.path}" for header in headers[:MOST_NAMED])
    more = f" and {len(headers) - MOST_NAMED} more" if len(headers) > MOST_NAMED else ""
    passages = sum(header.injections for header in headers)
    summary = f"{count(passages, 'passage')} that may give instructions to a language model, which are never quoted"
    return f"{summary}, in {names}{more}"


def ingestion_check() -> str:
    from cli.wiring.administration import open_administration

    hold = open_administration().versions.hold()
    return f"{hold['told']}; to allow them again: vouch versions release" if hold else "allowed"


def purges_check() -> str:
    from cli.wiring.administration import open_administration

    rows = open_administration().ledger.purges.all()
    pending = [f"{row.source}:{row.path}" for row in rows if row.state != "done"]
    if pending:
        raise NotFound(f"not finished: {', '.join(pending)}", cure="vouch tidy says what is left")
    return f"{count(len(rows), 'document')} purged so far"
