"""A home that goes from one prefix to another and back: what one index holds is never taken for what the other does."""

from pathlib import Path

import pytest
from homes.elastic_scene import engine_of, without_following
from servers.elastic import Elasticsearch
from two_world.elastic import engines_at
from two_world.worlds import ANALYSER, DIRECTORY, NOW, PUBLIC, REFERENCE_LENGTH, SOURCE, Batch, Paper, open_world

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from vouch.access import Permissions, Rule, RuleBook

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]
ONE = Paper("one/a.md", (("Title", ("zanzibar merger",)),))
TWO = Paper("two/b.md", (("Title", ("travel",)),))


def open_to_all(folder: str) -> RuleBook:
    return RuleBook((Rule("**", frozenset({"group:people"})), Rule(f"{folder}/**", frozenset({"public"}))))


def test_labels_that_followed_elsewhere_are_not_taken_for_those_here(
    elasticsearch_server: Elasticsearch, home: Path
) -> None:
    """Two documents change places under the rules, so every count is as before."""
    here, there = (engines_at(elasticsearch_server.url, index_prefix=prefix) for prefix in ("here", "there"))
    held = Permissions.settled(1, {SOURCE: open_to_all("one")}, DIRECTORY)
    world = open_world(home, [Batch((ONE, TWO))], held, engines=here)
    back = IndexStore(home, world.store.versions, ANALYSER, REFERENCE_LENGTH,
                      lexical=without_following(there)(home, world.permissions))
    back.catch_up()
    engine_of(world).wait()
    world.permissions.held = Permissions.settled(2, {SOURCE: open_to_all("two")}, DIRECTORY)
    wanted = world.index.view(PUBLIC).lexical(ANALYSER.terms("travel"), 10)
    assert len(wanted) == 1
    engine_of(world).wait()                             # labels have followed here, and there they have not
    view = LiveIndex(back, world.permissions, lambda: NOW).view(PUBLIC)
    found = view.statistics(ANALYSER.terms("zanzibar travel"))
    assert list(found.frequency.values()) == [0, 1]
    assert view.lexical(ANALYSER.terms("zanzibar"), 10) == []
    assert view.lexical(ANALYSER.terms("travel"), 10) == wanted
