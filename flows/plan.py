"""What an ingest step would change: a scan of each source against one version."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flows.again import offer_again, own_cursor
from flows.machines import Machines
from flows.purged import scan_without_purged
from indexers.publish import OpenVersion
from vouch.documents.document import Change, Skipped
from vouch.errors import Guarded, Usage
from vouch.ports.source import Scan


@dataclass(frozen=True)
class Plan:
    """Net changes since `base` (None: from nothing), per source.

    `sources` are those there are now; `orphans` are documents of others, which
    were removed: they leave with this step. `parent` is what the pointer must
    still be when the step is published; it differs from `base` when everything
    is built anew (`rebuild`). `epoch` is the access epoch of before the scans,
    `whole` are the sources of which everything was looked at, up to now.
    """

    base: OpenVersion | None
    parent: OpenVersion | None
    scans: Mapping[str, Scan]
    sources: frozenset[str]
    orphans: tuple[tuple[str, str], ...]
    epoch: int
    whole: frozenset[str]

    @property
    def changes(self) -> list[tuple[str, Change]]:
        return [(name, change) for name, scan in self.scans.items() for change in scan.changes]

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(s for scan in self.scans.values() for s in scan.skipped)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(note for scan in self.scans.values() for note in scan.notes)

    @property
    def rebuild(self) -> bool:
        return self.parent is not None and self.base is None

    @property
    def more(self) -> bool:
        return any(scan.more for scan in self.scans.values())

    @property
    def empty(self) -> bool:
        """Nothing to publish: no document and no cursor would move, and what is served is the current version."""
        stands_in = self.base is not None and self.base.limits is not None
        if self.changes or self.orphans or self.rebuild or stands_in:
            return False
        return all(dict(scan.cursor) == self._cursor(name) for name, scan in self.scans.items())

    def _cursor(self, name: str) -> dict[str, object]:
        return dict(self.base.cursor(name)) if self.base else {}


def plan_step(
    machines: Machines,
    names: Sequence[str],
    *,
    until: int | None = None,
    step: int | None = None,
    paths: Sequence[str] | None = None,
    anew: bool = False,
    publishes: bool = True,
) -> Plan:
    """Scans `names` (all sources when the models changed, for then every vector is void, or when `anew` asks for it).

    With `paths`, those said to have changed, a source that can looks at no others. A plan that is only shown
    and never carried out is not made for one that `publishes`.
    """
    if paths is not None and len(names) != 1:
        raise Usage("paths are those of one source", cure="name it: vouch ingest SOURCE --path PATH")
    parent = machines.store.open_current(documents_only=True)
    base = parent if parent and not anew and _fits(parent, machines) else None
    if parent and base is None:
        names, step, until, paths = list(machines.sources), None, None, None   # all at once, or most would be missing
    refused = machines.ledger.purges.refused()
    epoch = machines.ledger.access.scan_begins(names) if publishes else machines.ledger.access.epoch()
    scans = {}
    for name in names:
        known = base.known(name) if base else {}
        found = scan_without_purged(
            machines.sources[name], known, own_cursor(base, name), refused, step=step, until=until, paths=paths
        )
        scans[name] = offer_again(found, base, name, machines.parser.fingerprint, whole=paths is None)
    sources = _sources(machines)
    whole = frozenset(name for name, scan in scans.items() if paths is None and until is None and not scan.more)
    return Plan(base, parent, scans, sources, tuple(_orphans(base, sources)), epoch, whole)


def carried_out(machines: Machines, plan: Plan) -> None:
    """To be called once the current version has what `plan` found, also if that is nothing new.

    What the rules of its whole scans grant counts from now on.
    """
    machines.ledger.access.scan_ended(plan.whole, plan.epoch)


def to_be_rebuilt(machines: Machines) -> bool:
    """Whether the current version was made with other models, so that an ingest builds everything anew."""
    version = machines.store.open_current(documents_only=True)
    return version is not None and not _fits(version, machines)


def _sources(machines: Machines) -> frozenset[str]:
    """Names of the sources, those included that were added, and perhaps ingested, since the machines were built."""
    return frozenset({*machines.sources, *(row.name for row in machines.ledger.sources.list())})


def _fits(version: OpenVersion, machines: Machines) -> bool:
    return dict(version.manifest.fingerprints) == dict(machines.fingerprints)


def _orphans(base: OpenVersion | None, sources: Collection[str]) -> Iterator[tuple[str, str]]:
    for document in base.documents() if base else ():
        if document.source not in sources:
            yield document.source, document.path


def guard_removals(plan: Plan, most: float) -> None:
    """Raises Guarded if a source would lose more than the share `most` of its documents."""
    for name, scan in plan.scans.items():
        known = set(plan.parent.known(name)) if plan.parent else set()
        gone = len(known - {c.path for c in scan.changes}) if plan.rebuild else sum(
            change.operation == "remove" for change in scan.changes
        )
        if known and gone / len(known) > most:
            raise Guarded(
                f"source {name}: {gone} of {len(known)} documents would be removed, more than {most:.0%}",
                cure="if that is right, run again with --allow-removals",
            )
