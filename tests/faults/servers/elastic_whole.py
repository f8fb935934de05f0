"""What must be true of a home on Elasticsearch after whatever was done to the server."""

from collections.abc import Sequence
from pathlib import Path

from two_world.worlds import ANALYSER, REFERENCE_LENGTH

from indexers.elastic.engine import ElasticEngine
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from vouch.access import Audience


def assert_whole(store: IndexStore, index: LiveIndex, home: Path, audience: Audience, terms: Sequence[str]) -> int:
    """The current version has what the segments hold, count by count and score by score; the server has no more.

    `audience` may read everything and `terms` are in every chunk. Returns the rows found.
    """
    current, engine = store.versions.current(), store.lexical
    assert isinstance(engine, ElasticEngine) and current is not None and store.verify(current) == []
    view = index.view(audience)
    embedded = IndexStore(home, store.versions, ANALYSER, REFERENCE_LENGTH).lexical.open(view._version)
    wanted = {h.chunk_id: h.score for h in embedded.search(terms, view._rows, 10_000)}
    found = {h.chunk_id: h.score for h in view.lexical(terms, 10_000)}
    assert len(found) == len(wanted) == view._rows.count
    assert all(abs(found[chunk] / score - 1) < 1e-4 for chunk, score in wanted.items())
    engine.wait()
    store.sweep()
    engine._server.refresh(engine._index(view._version))
    kept = [row.number for row in store.versions.rows() if row.state == "published"]
    named = {entry.id for number in kept for entry in store.manifest(number).segments}
    held = engine._count(engine._index(view._version), {"term": {"home": engine._notes.home_id}})
    assert held == engine._count(engine._index(view._version), {"terms": {"segment": sorted(named)}})
    return len(found)
