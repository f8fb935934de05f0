"""Which chunks expansion draws into the reranker's pool, and in what order."""

import pytest
from homes.small_world import EVERYBODY, NOBODY, passage, small_world
from hypothesis import given
from hypothesis import strategies as st

from vouch.ports.index import View
from vouch.retrieval.hits import SEEDS, expand
from vouch.values.candidate import Candidate

SECTIONS = ["x", "x", "x", "y", "y", "x", "x", "z"]


def document(path: str = "d.md") -> list[object]:
    return [
        passage(f"words {n}", chunk_id=f"{path}{n}", path=path, section=(s,), ordinal=n, document_chunks=len(SECTIONS))
        for n, s in enumerate(SECTIONS)
    ]


def seeds(view: View, *ids: str) -> list[Candidate]:
    return [
        Candidate(p, fused_score=1 / n, fused_rank=n, dense_rank=n, dense_score=0.5)
        for n, p in enumerate(view.passages(list(ids)), 1)
    ]


def test_neighbors_come_before_the_rest_of_the_section() -> None:
    view = small_world(document()).index.view(EVERYBODY)
    expanded = expand(view, seeds(view, "d.md1"), 20)
    assert [(c.chunk_id, c.expansion, c.seed) for c in expanded] == [
        ("d.md1", "none", None),
        ("d.md0", "adjacent", "d.md1"),
        ("d.md2", "adjacent", "d.md1"),
        ("d.md5", "same_section", "d.md1"),
    ]


def test_a_hit_drawn_in_keeps_its_scores() -> None:
    view = small_world(document() + document("e.md")).index.view(EVERYBODY)
    fused = seeds(view, "d.md1", "e.md4", "e.md7", "e.md6", "d.md2")
    expanded = expand(view, fused, 4)
    assert [c.chunk_id for c in expanded[:4]] == ["d.md1", "e.md4", "e.md7", "d.md0"]
    drawn = next(c for c in expand(view, fused, 8) if c.chunk_id == "d.md2")
    assert drawn.dense_rank == 5 and drawn.fused_rank == 5


def test_a_hidden_neighbor_is_never_drawn_in() -> None:
    world = small_world(document())
    world.index.labels["d.md2"] = NOBODY
    view = world.index.view(EVERYBODY)
    assert "d.md2" not in {c.chunk_id for c in expand(view, seeds(view, "d.md1"), 20)}


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("de"), st.integers(0, 7)), unique=True, max_size=16), st.integers(1, 24))
def test_the_pool_keeps_all_candidates_once_and_its_head_unchanged(places: list[tuple[str, int]], size: int) -> None:
    view = small_world(document() + document("e.md")).index.view(EVERYBODY)
    fused = seeds(view, *(f"{name}.md{n}" for name, n in places))
    expanded = expand(view, fused, size)
    ids = [c.chunk_id for c in expanded]
    assert len(ids) == len(set(ids)) and set(ids) >= {c.chunk_id for c in fused}
    head = min(size - size // 4, len(fused))
    assert expanded[:head] == fused[:head]
    top = {c.chunk_id for c in fused[:SEEDS]}
    assert all(c.seed in top for c in expanded if c.expansion != "none")
    fresh = [c for c in expanded if c.fused_rank == 0]
    assert all(c.expansion != "none" for c in fresh) and len(fused[:head]) + len(fresh) <= max(size, head)
