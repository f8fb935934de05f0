"""A purge names every place that rows of the home were sent to and that it did not ask."""

from pathlib import Path

from servers.elastic import Elasticsearch
from two_world.elastic import engines_at
from two_world.worlds import ANALYSER, REFERENCE_LENGTH, SOURCE, Batch, Paper, open_world

from indexers.elastic.server.client import KnownServers
from indexers.publishing.index_store import IndexStore
from indexers.purging.purge import IndexPurge

TRAVEL = Paper("open/travel.md", (("Travel", ("travel needs approval",)),))
KEPT = Paper("open/kept.md", (("Kept", ("a badge",)),))


def test_a_purge_after_a_change_of_prefix_names_the_one_before(
    elasticsearch_server: Elasticsearch, tmp_path: Path
) -> None:
    world = open_world(tmp_path, [Batch((TRAVEL, KEPT))],
                       engines=engines_at(elasticsearch_server.url, index_prefix="before"))
    engine = engines_at(elasticsearch_server.url, index_prefix="after")(tmp_path, world.permissions)
    store = IndexStore(tmp_path, world.store.versions, ANALYSER, REFERENCE_LENGTH, lexical=engine)
    store.catch_up()
    done = IndexPurge(tmp_path, world.store.versions, [(SOURCE, TRAVEL.path)], lexical=engine).run()
    assert "before-*" in str(done.unproven) and "after-*" not in str(done.unproven)


def test_places_are_kept_apart_and_one_that_was_seen_to_is_not_named_again(tmp_path: Path) -> None:
    used = KnownServers(tmp_path)
    for _ in range(2):
        used.add("http://one:9200", "vouch")
        used.add("http://two:9200", "vouch")
    [told] = KnownServers(tmp_path).others("http://two:9200", "vouch")
    assert "vouch-* of http://one:9200" in told
    Path(told.rpartition("then ")[2]).unlink()
    assert list(used.others("http://two:9200", "vouch")) == []
    assert len(list(used.others("http://three:9200", "vouch"))) == 1
