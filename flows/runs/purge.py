"""A purge as a person asks for it: what it would take, and doing it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from flows.purging.forgetting import COMMON, Forgotten, copies_stand, finish_purges
from flows.runs.run import sole_run
from flows.shared.components import IngestComponents
from flows.shared.home_files.folders import refuse_links
from flows.shared.noted_runs import noted
from flows.shared.reporting import Progress, silent
from indexers.parts.document_parts import Place
from indexers.purging.purge import IndexPurge
from vouch.errors import NotFound


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a purge would take: `versions` hold some of it; `former` places it left; `copies` hold the same words."""

    places: tuple[Place, ...]
    contents: int
    versions: tuple[int, ...]
    former: tuple[Place, ...]
    copies: tuple[Place, ...]


def look(components: IngestComponents, place: Place, *, with_copies: bool) -> Outlook:
    """Nothing is changed. Raises NotFound if no version holds the document, nor ever did."""
    return _outlook(_search(components, [place], with_copies))


def purge(components: IngestComponents, place: Place, *, with_copies: bool, progress: Progress = silent) -> Forgotten:
    """The document is gone from everything vouch keeps, and does not come back.

    Raises NotFound, Guarded if its words stand elsewhere today and
    `with_copies` is not set, Busy beside an ingest, Damaged if something is
    left; the purge then stays pending, and is gone on with when run again.
    Damaged, before anything is changed, if a folder of reports is a link.
    """
    with sole_run(components.home), noted(components.ledger, "purge"):
        refuse_links(components.home)
        known = any(row.place == place for row in components.ledger.purges.unfinished())
        if not known:
            index = _search(components, [place], with_copies)
            if index.lineage.copies:
                raise copies_stand(index.lineage.copies)
            components.ledger.purges.begin(index.places, index.lineage.hashes - COMMON, datetime.now(UTC))
        done = finish_purges(components, progress)
        assert done is not None
        return done


def _search(components: IngestComponents, places: Sequence[Place], with_copies: bool) -> IndexPurge:
    index = IndexPurge(components.home, components.ledger.versions, places, (), COMMON, components.store.lexical)
    if not index.lineage.contents:
        source, path = places[0]
        raise NotFound(f"no version holds {source}:{path}", cure="see vouch documents, and vouch purge --list")
    if with_copies and index.lineage.copies:
        return _search(components, [*places, *index.lineage.copies], with_copies)
    return index


def _outlook(index: IndexPurge) -> Outlook:
    found = index.lineage
    named = set(index.places)
    versions = [
        number for number, version in index.versions()
        if any((header.place, header.hash) in found.contents for header in version.headers)
    ]
    former = {place for place, _ in found.contents} - named
    return Outlook(tuple(sorted(named)), len(found.contents), tuple(versions), tuple(sorted(former)), found.copies)
