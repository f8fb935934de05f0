"""The many hits of a list question: what is far off goes, and documents take turns."""

from collections import Counter

from homes.small_world import passage
from hypothesis import given
from hypothesis import strategies as st

from vouch.retrieval.hits import DENSE_SHARE, LEXICAL_SHARE, Hits, near, spread
from vouch.values.candidate import Candidate, Hit

scores = st.dictionaries(st.sampled_from([f"c{n}" for n in range(12)]), st.floats(-1, 20), max_size=12)


def ordered(found: dict[str, float]) -> tuple[Hit, ...]:
    return tuple(sorted((Hit(one, score) for one, score in found.items()), key=lambda h: (-h.score, h.chunk_id)))


@given(scores, scores)
def test_what_is_near_in_either_list_keeps_its_scores_in_both(
    lexical: dict[str, float], dense: dict[str, float]
) -> None:
    kept = near(Hits(ordered(lexical), ordered(dense)))
    wanted = {
        one for found, share in ((lexical, LEXICAL_SHARE), (dense, DENSE_SHARE)) for one, score in found.items()
        if score >= share * max(max(found.values()), 0.0)
    }
    assert {h.chunk_id: h.score for h in kept.lexical} == {k: v for k, v in lexical.items() if k in wanted}
    assert {h.chunk_id: h.score for h in kept.dense} == {k: v for k, v in dense.items() if k in wanted}


@given(st.lists(st.sampled_from("abcd"), max_size=30), st.integers(0, 35))
def test_every_document_gets_a_turn_before_any_gets_a_second(places: list[str], size: int) -> None:
    candidates = [Candidate(passage("words", chunk_id=f"c{n:02}", path=path)) for n, path in enumerate(places)]
    taken = spread(candidates, size)
    ids = [c.chunk_id for c in taken]
    assert len(ids) == len(set(ids)) == min(size, len(candidates)) and all(c in candidates for c in taken)
    counts, available = Counter(c.passage.path for c in taken), Counter(places)
    for path, other in ((p, q) for p in available for q in available):
        assert counts[path] >= min(available[path], counts[other] - 1)
    for path in available:                                  # within a document, in the order given
        own = [c.chunk_id for c in taken if c.passage.path == path]
        assert own == [c.chunk_id for c in candidates if c.passage.path == path][: len(own)]


def test_near_is_three_tenths_of_the_best_bm25_or_six_tenths_of_the_best_cosine() -> None:
    """Written out: the shares are measured ones, and a test that imports them cannot notice that they moved."""
    lexical = (Hit("top", 10.0), Hit("in", 3.01), Hit("out", 2.99))
    dense = (Hit("dear", 0.8), Hit("close", 0.481), Hit("out", 0.479))
    kept = near(Hits(lexical, dense))
    assert {h.chunk_id for h in (*kept.lexical, *kept.dense)} == {"top", "in", "dear", "close"}
