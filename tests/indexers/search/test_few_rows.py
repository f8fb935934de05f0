"""Few visible rows are copied together before they are searched, with the same numbers."""

from pathlib import Path

import numpy as np
import pytest
from homes.memory import folder_in_memory
from hypothesis import given, settings
from two_world.drawing import ALIKE, world_pairs
from two_world.observing import observe
from two_world.stand_ins import FixedPermissions, MemoryVersions
from two_world.worlds import ANALYSER, Pair, make_record, open_world

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from indexers.search import faiss_vectors
from indexers.search.view import LiveView
from indexers.segments.vectors import search_few
from vouch.access import Audience, Directory, Permissions, Reader, Rule, RuleBook

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]
GROUPS = 4


def view_of(home: Path, dimensions: int, groups: int) -> LiveView:
    """What a reader of the first `groups` of four groups sees of three segments, equal vectors among them."""
    rng = np.random.default_rng(dimensions)
    pool = rng.standard_normal((40, dimensions))
    store = IndexStore(home, MemoryVersions(), ANALYSER, 8.0)
    for n, size in enumerate((60, 25, 9)):
        records = [make_record("s", f"g{k % GROUPS}/{n}-{k}.md", [("", [f"paper {n} {k} {i}" for i in range(3)])])
                   for k in range(size)]
        store.publish(
            store.open_current(), changed=records, moved={}, removed=[], cursors={}, fingerprints={},
            vectors=lambda keys: pool[rng.integers(0, len(pool), len(keys))].astype(np.float16),
        )
    rules = RuleBook(tuple(Rule(f"g{n}/**", frozenset({f"group:g{n}"})) for n in range(GROUPS)))
    index = LiveIndex(store, FixedPermissions(Permissions.settled(1, {"s": rules}, Directory())))
    assert len(index.version().segments) == 3
    return index.view(Audience((Reader("all", frozenset(f"group:g{n}" for n in range(groups))),)))


@pytest.mark.parametrize("groups", [0, 1, GROUPS])
@pytest.mark.parametrize("dimensions", [5, 16, 24, 384])
def test_how_few_rows_are_searched_changes_no_bit(
    dimensions: int, groups: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = view_of(tmp_path, dimensions, groups)
    questions = np.random.default_rng(1).standard_normal((8, dimensions)).astype(np.float32)

    def hits() -> list[list[tuple[str, str]]]:
        return [[(h.chunk_id, h.score.hex()) for h in view.dense(q, top)] for q in questions for top in (1, 7, 400)]

    found = {}
    for name, few in (("never few", 10**9), ("always few", 0)):
        monkeypatch.setattr(faiss_vectors, "_FEW", few)
        found[name] = hits()
    assert found["never few"] == found["always few"]
    assert all(len(one) == min(top, groups * 282 // GROUPS) or groups == 1
               for one, top in zip(found["never few"], [1, 7, 400] * 8, strict=True))


def test_hidden_documents_decide_how_rows_are_searched_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit of one row in two, hidden documents often tip the scale."""
    monkeypatch.setattr(faiss_vectors, "_FEW", 2)
    monkeypatch.setattr(faiss_vectors, "search_few", lambda *of: copied.append(1) or search_few(*of))
    copied: list[int] = []
    tipped = 0

    def look(batches: object, pair: Pair) -> tuple[dict[str, object], bool]:
        copied.clear()
        with folder_in_memory() as home:
            return observe(open_world(home, batches), pair), bool(copied)

    @settings(ALIKE, max_examples=60)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        nonlocal tipped
        (first, one), (second, other) = look(pair.first, pair), look(pair.second, pair)
        assert first == second
        tipped += one != other

    check()
    assert tipped >= 5
