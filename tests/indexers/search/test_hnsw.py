"""The graphs of the HNSW option: what they find, when the exact file is searched instead, and that they leak."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes.memory import folder_in_memory
from hypothesis import Phase, given, settings
from two_world.drawing import ALIKE, world_pairs
from two_world.observing import observe
from two_world.stand_ins import FixedPermissions, MemoryVersions
from two_world.worlds import ANALYSER, NOW, Pair, make_record, open_world

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from indexers.search.view import LiveView
from indexers.segments.hnsw import FILE, NOT_LEAK_FREE, GraphParameters, GraphSearch, recipe_of
from indexers.segments.vectors import load_faiss, single_threaded
from vouch.access import Audience, Directory, Permissions, Reader, Rule, RuleBook
from vouch.errors import Damaged, Usage

DIMENSIONS = 24
RULES = RuleBook((Rule("seen/**", frozenset({"public"})), Rule("tenth/**", frozenset({"group:tenth"}))))
SALT = 1                                # of the vectors: with some, a graph happens to lead everywhere
PUBLIC = Audience((Reader("public", frozenset({"public"})),))
EVERYBODY = Audience((Reader("all", frozenset({"public", "group:tenth"})),))
TENTH = Audience((Reader("tenth", frozenset({"group:tenth"})),))
pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]


class Home:
    """Documents of one row each, with random vectors; one in ten lies in another folder."""

    def __init__(self, path: Path, recipe: GraphParameters | None, seed: int = 7) -> None:
        self.store = IndexStore(path, MemoryVersions(), ANALYSER, 8.0)
        self.prints = self.store.fingerprints("random", "by hand") | (recipe.fingerprints if recipe else {})
        self.rng = np.random.default_rng(seed)

    def publish(self, folder: str, numbers: Sequence[int]) -> None:
        records = [make_record("s", f"{folder}/{n}.md", [("Notes", [f"note {n}"])]) for n in numbers]
        self.store.publish(self.store.open_current(), changed=records, moved={}, removed=[], cursors={},
                           fingerprints=self.prints, vectors=self.vectors)

    def vectors(self, keys: Sequence[bytes]) -> np.ndarray:
        """A row for each key that depends on the key alone."""
        made = (np.random.default_rng([SALT, int.from_bytes(key, "big")]) for key in keys)
        rows = np.array([one.standard_normal(DIMENSIONS) for one in made])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)

    def view(self, audience: Audience, graphs: GraphSearch | None) -> LiveView:
        held = FixedPermissions(Permissions.settled(1, {"s": RULES}, Directory()))
        return LiveIndex(self.store, held, lambda: NOW, graphs=graphs).view(audience)

    def questions(self, count: int) -> np.ndarray:
        return self.rng.standard_normal((count, DIMENSIONS), dtype=np.float32)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path, GraphParameters(8, 40))
    made.publish("seen", range(1800))
    made.publish("tenth", range(1800, 2000))
    return made


def recall(home: Home, audience: Audience, graphs: GraphSearch) -> float:
    graph, exact = home.view(audience, graphs), home.view(audience, None)
    shares = []
    for question in home.questions(50):
        best = {hit.chunk_id for hit in exact.dense(question, 10)}
        found = graph.dense(question, 10)
        assert [h.score for h in found] == sorted((h.score for h in found), reverse=True)
        assert {h.chunk_id for h in found} <= {h.chunk_id for h in exact.dense(question, 2000)}
        shares.append(len(best & {hit.chunk_id for hit in found}) / 10)
    return float(np.mean(shares))


def test_a_graph_finds_nearly_the_best_and_shows_nothing_hidden(home: Home) -> None:
    assert recall(home, EVERYBODY, GraphSearch(ef_search=200, exact_share=0)) > 0.95
    assert recall(home, PUBLIC, GraphSearch(ef_search=200, exact_share=0)) > 0.95
    assert recall(home, EVERYBODY, GraphSearch(ef_search=10, exact_share=0)) < 1.0   # it is the graph that was asked


def test_narrow_audiences_are_searched_exactly(home: Home) -> None:
    home.store.compact()                # the share counts in each segment
    narrow = GraphSearch(ef_search=10, exact_share=0.5)
    assert recall(home, TENTH, narrow) == 1.0
    assert recall(home, TENTH, GraphSearch(ef_search=10, exact_share=0)) < 1.0


def test_searching_and_publishing_leave_a_thread_as_many_threads_as_it_had(home: Home) -> None:
    """They are torch's too: with one left, each pass of a model after the first search runs on one core."""
    faiss = load_faiss()
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(3)
    try:
        home.view(EVERYBODY, None).dense(home.questions(1)[0], 10)
        home.view(TENTH, None).dense(home.questions(1)[0], 10)
        home.view(EVERYBODY, GraphSearch(ef_search=10, exact_share=0)).dense(home.questions(1)[0], 10)
        home.publish("seen", range(3000, 3010))
        assert faiss.omp_get_max_threads() == 3
        with single_threaded():
            assert faiss.omp_get_max_threads() == 1
    finally:
        faiss.omp_set_num_threads(before)


def test_merging_makes_the_graph_anew_and_loses_no_row(home: Home) -> None:
    before = len(home.view(EVERYBODY, None).dense(home.questions(1)[0], 5000))
    home.publish("seen", range(3000, 4500))
    home.store.compact()
    version = home.store.open_current()
    assert version is not None and [s.rows for s in version.segments] == [3500]
    segment = version.segments[0]
    assert segment.graph is not None and segment.graph.recipe == GraphParameters(8, 40)
    assert len(home.view(EVERYBODY, None).dense(home.questions(1)[0], 5000)) == before + 1500
    assert len(home.view(EVERYBODY, GraphSearch(4000, 0)).dense(home.questions(1)[0], 5000)) == before + 1500
    assert home.store.verify(version.number) == []


def test_the_same_rows_make_the_same_graph(tmp_path: Path) -> None:
    digests = []
    for name in "ab":
        home = Home(tmp_path / name, GraphParameters(8, 40))
        home.publish("seen", range(500))
        manifest = home.store.manifest(1)
        digests.append(next(f.sha256 for f in manifest.segments[0].files if f.name == FILE))
    assert digests[0] == digests[1]


def test_a_damaged_graph_is_not_searched(home: Home) -> None:
    current = home.store.versions.current()
    assert current is not None
    manifest = home.store.manifest(current)
    path = next(Path(home.store._files.segments).glob(f"{manifest.segments[-1].id}/{FILE}"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    fresh = IndexStore(path.parents[2], home.store.versions, ANALYSER, 8.0)
    assert any(FILE in problem for problem in fresh.verify(current))
    with pytest.raises(Damaged, match=FILE):
        fresh.open(current)


def test_a_version_without_graphs_is_searched_exactly_whatever_is_asked_for(tmp_path: Path) -> None:
    home = Home(tmp_path, None)
    home.publish("seen", range(50))
    assert home.view(PUBLIC, GraphSearch()).notes == ()
    assert not list(tmp_path.glob(f"segments/*/{FILE}"))
    assert recall(home, PUBLIC, GraphSearch(1, 0)) == 1.0


def test_rows_with_and_without_graphs_do_not_mix(home: Home) -> None:
    base = home.store.open_current()
    with pytest.raises(Usage, match="vouch rebuild"):
        home.store.publish(base, changed=[], moved={}, removed=[], cursors={}, vectors=home.vectors,
                           fingerprints=home.store.fingerprints("random", "by hand"))


def test_views_say_that_they_are_not_leak_free(home: Home) -> None:
    assert home.view(PUBLIC, GraphSearch()).notes == (NOT_LEAK_FREE,)
    assert home.view(PUBLIC, None).notes == ()


def test_recipes_are_read_back_from_fingerprints() -> None:
    assert recipe_of({"encoder": "x"}) is None
    assert recipe_of(GraphParameters(12, 34).fingerprints) == GraphParameters(12, 34)
    with pytest.raises(Usage, match="ivf"):
        recipe_of({"vectors": "ivf 100"})


class GraphStore(IndexStore):
    def fingerprints(self, encoder: str, chunker: str) -> dict[str, str]:
        return super().fingerprints(encoder, chunker) | GraphParameters(4, 8).fingerprints


def graph_view(*parts: Any, **engines: Any) -> LiveView:
    return LiveView(*parts, GraphSearch(ef_search=1, exact_share=0), **engines)


@pytest.mark.parametrize(("make", "leaks"), [(graph_view, True), (LiveView, False)])
def test_the_two_worlds_tell_a_filtered_graph_from_exact_search(
    monkeypatch: pytest.MonkeyPatch, make: Any, leaks: bool
) -> None:
    monkeypatch.setattr("two_world.worlds.IndexStore", GraphStore)
    found: list[str] = []
    pairs = []

    @settings(ALIKE, max_examples=20, phases=[Phase.generate])
    @given(world_pairs())
    def check(pair: Pair) -> None:
        if found:
            return
        with folder_in_memory() as place:
            first, second = (observe(open_world(place / str(n), side), pair, make)
                             for n, side in enumerate((pair.first, pair.second)))
        pairs.append(pair)
        found.extend(name for name in first if first[name] != second[name])

    check()
    print(f"{len(pairs)} pairs, differences: {found}")
    if leaks:
        assert found and any(name.startswith("dense") for name in found)
        assert all(name.split()[0] not in ("lexical", "statistics") for name in found)
    else:
        assert not found and len(pairs) == 20


def test_with_usual_settings_hidden_rows_change_what_a_graph_finds(tmp_path: Path) -> None:
    """No tiny graph and no starved search are needed: a thousand visible rows, as many hidden ones, defaults."""
    changed = {}
    homes = [Home(tmp_path / str(n), GraphParameters()) for n in range(2)]
    for home, hidden in zip(homes, (range(9000, 9500), range(5000, 7000)), strict=True):
        home.publish("tenth", hidden)
        home.publish("seen", range(2000))
        home.store.compact()
    questions = homes[0].questions(400)
    for name, graphs in (
        ("as set by default", GraphSearch()), ("ef_search 16", GraphSearch(16, exact_share=0)), ("exact", None)
    ):
        views = [home.view(PUBLIC, graphs) for home in homes]
        changed[name] = sum(a != b for a, b in ([view.dense(q, 10) for view in views] for q in questions))
    print(f"top-10s changed by hidden rows, of {len(questions)}: {changed}")
    assert changed["as set by default"] > 0 and changed["ef_search 16"] > 200 and changed["exact"] == 0
