"""What an ingest step would change: a scan of each source against one version."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from flows.ingesting.extent import WHOLE, Extent
from flows.ingesting.prepare import OF_ALL, offer_again, own_cursor
from flows.purging.purged import scan_without_purged
from flows.shared.components import IngestComponents
from flows.shared.reporting import Progress, silent
from indexers.publishing.index_store import OpenVersion
from indexers.versions.version import GENERATION
from vouch.adapters.ledger import Refused
from vouch.documents.document import Change, Skipped
from vouch.errors import Damaged, Usage, VouchError
from vouch.plurals import count
from vouch.ports.ingestion import Scan


@dataclass(frozen=True)
class Plan:
    """Net changes since `base` (None: from nothing), per source.

    `sources` are those there are now; `orphans` are documents of others, which
    were removed: they leave with this step. `pointer` is what the current
    version must still be when the step is published; `parent` is that version,
    or the one that stands in for it while it is damaged, None if none is sound.
    It differs from `base` when everything is built anew (`rebuild`).
    `failures` are sources that stay as they are, and why; those `begun_anew`
    hold nothing yet of what `base` has under their name. `epoch` is the access epoch of before
    the scans, `whole` are the sources of which everything was looked at, up to now.
    """

    base: OpenVersion | None
    parent: OpenVersion | None
    scans: Mapping[str, Scan]
    sources: frozenset[str]
    orphans: tuple[tuple[str, str], ...]
    pointer: int | None = None
    failures: Mapping[str, VouchError] = field(default_factory=dict)
    begun_anew: frozenset[str] = frozenset()
    allow_removals: bool = False
    damaged: int | None = None          # the version that `parent` stands in for
    outdated: bool = False              # it was made with other models, or cut otherwise
    epoch: int = 0
    whole: frozenset[str] = frozenset()

    @property
    def changes(self) -> list[tuple[str, Change]]:
        return [(name, change) for name, scan in self.scans.items() for change in scan.changes]

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(replace(s, source=name) for name, scan in self.scans.items() for s in scan.skipped)

    @property
    def notes(self) -> tuple[str, ...]:
        own = ["the models or the chunking have changed: every document is taken in anew"] if self.outdated else []
        return (*own, *(note for scan in self.scans.values() for note in scan.notes))

    @property
    def rebuild(self) -> bool:
        return self.pointer is not None and self.base is None

    @property
    def more(self) -> bool:
        return any(scan.more for scan in self.scans.values())

    @property
    def empty(self) -> bool:
        """Nothing to publish: no document and no cursor would move, and what is served is the current version."""
        stands_in = self.damaged is not None or (self.base is not None and self.base.limits is not None)
        if self.changes or self.orphans or self.rebuild or stands_in:
            return False
        return all(dict(scan.cursor) == self._cursor(name) for name, scan in self.scans.items())

    def without(self, failures: Mapping[str, VouchError]) -> "Plan":
        """The plan that leaves these sources as they are. Raises the first failure if everything is built anew."""
        if failures and self.rebuild:
            raise next(iter(failures.values()))     # a version without that source's documents would hide them
        scans = {name: scan for name, scan in self.scans.items() if name not in failures}
        return replace(self, scans=scans, failures={**self.failures, **failures})

    def _cursor(self, name: str) -> dict[str, object]:
        return dict(self.base.cursor(name)) if self.base else {}


def plan_step(
    components: IngestComponents,
    names: Sequence[str],
    extent: Extent = WHOLE,
    *,
    anew: bool = False,
    publishes: bool = True,
    progress: Progress = silent,
) -> Plan:
    """Scans `names` (all sources when the models changed, for then every vector is void, or when `anew` asks for it).

    A source that cannot be looked at is among the `failures`; raises
    what it fails with if everything is built anew. A plan that is only
    shown and never carried out is not made for one that `publishes`.
    """
    if extent.paths is not None and len(names) != 1:
        raise Usage("paths are those of one source", cure="name it: vouch ingest SOURCE --path PATH")
    parent, pointer, damaged = _parent(components, anew)
    base = parent if parent and not anew and _fits(parent, components) else None
    if pointer is not None and base is None:
        # All at once, or most would be missing.
        names, extent = list(components.sources), Extent(allow_removals=extent.allow_removals)
    foreign = base.foreign(components.generations) if base else frozenset()
    refused = components.ledger.purges.refused()
    epoch = components.ledger.access.scan_begins(names) if publishes else components.ledger.access.epoch()
    scans: dict[str, Scan] = {}
    failures: dict[str, VouchError] = {}
    for name in names:
        progress(f"looking at source {name}", 0, 0)
        try:
            scans[name] = _scan(components, base, name, name in foreign, refused, extent)
        except OF_ALL:
            raise
        except VouchError as error:
            failures[name] = error
            progress(f"source {name} cannot be read", 0, 0)
        else:
            progress(f"source {name}: {count(len(scans[name].changes), 'change')} found", 0, 0)
    sources = _sources(components)
    whole = frozenset(name for name, scan in scans.items() if extent.paths is None and scan.whole)
    if publishes and extent.paths is None:
        past = scans.keys() - whole
        components.ledger.access.past_taken_in(past, whatever_was_restored=damaged is not None)
    plan = Plan(
        base, parent, scans, sources, tuple(_orphans(base, sources)), pointer, {},
        foreign & scans.keys(), extent.allow_removals, damaged,
        parent is not None and base is None and not anew, epoch, whole,
    )  # fmt: skip
    return plan.without(failures)


def carried_out(components: IngestComponents, plan: Plan) -> None:
    """To be called once the current version has what `plan` found, also if that is nothing new.

    What the rules of its whole scans grant counts from now on; sources that failed were not scanned.
    """
    components.ledger.access.scan_ended(plan.whole - plan.failures.keys(), plan.epoch)


def _parent(components: IngestComponents, anew: bool) -> tuple[OpenVersion | None, int | None, int | None]:
    """The version to go on from, the pointer, and the pointer again if that version stands in for a damaged one.

    Raises Damaged if no version is sound, unless all is built `anew`.
    """
    pointer = components.store.versions.current()
    try:
        parent = components.store.open_current()
    except Damaged:
        if not anew:
            raise
        return None, pointer, pointer
    if parent is None:
        return None, None, None
    expected = components.store.standing_in_for(parent)
    return parent, parent.number, expected


def _scan(
    components: IngestComponents, base: OpenVersion | None, name: str, anew: bool, refused: Refused,
    extent: Extent,
) -> Scan:  # fmt: skip
    """What the source changed since `base`; its cursor says which of the sources of that name it is.

    It begins `anew` where `base` holds what another source of that name left.
    """
    own, named = (None, None) if anew else (base, extent.paths)
    source_scan = scan_without_purged(
        components.sources[name], own.known(name) if own else {}, own_cursor(own, name), refused,
        step=extent.step, until=extent.until, paths=named,
    )  # fmt: skip
    scan = offer_again(source_scan, own, name, components.parser.fingerprint, whole=named is None)
    if base is not None and anew:
        scan = _instead_of(scan, base.known(name))
    generation = components.generations.get(name, "")
    return replace(scan, cursor={**scan.cursor, GENERATION: generation}) if generation else scan


def _instead_of(scan: Scan, former: Iterable[str]) -> Scan:
    """`scan`, and the removal of every `former` path that it does not write."""
    written = {change.path for change in scan.changes}
    removed = [Change("remove", path) for path in former if path not in written]
    return replace(scan, changes=tuple(sorted([*scan.changes, *removed], key=lambda change: change.path)))


def to_be_rebuilt(components: IngestComponents) -> bool:
    """Whether the current version was made with other models, so that an ingest builds everything anew."""
    version = components.store.open_current(documents_only=True)
    return version is not None and not _fits(version, components)


def _sources(components: IngestComponents) -> frozenset[str]:
    """Names of the sources, those included that were added, and perhaps ingested, since the components were built."""
    return frozenset({*components.sources, *(row.name for row in components.ledger.sources.list())})


def _fits(version: OpenVersion, components: IngestComponents) -> bool:
    return dict(version.manifest.fingerprints) == dict(components.fingerprints)


def _orphans(base: OpenVersion | None, sources: Collection[str]) -> Iterator[tuple[str, str]]:
    for document in base.documents() if base else ():
        if document.source not in sources:
            yield document.source, document.path
