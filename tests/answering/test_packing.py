"""Packing: numbers, order and budget."""

from hypothesis import given
from hypothesis import strategies as st
from small_world import passage

from vouch.answering.packing import FRAME_TOKENS, distinct, heading, pack
from vouch.correction.refinement import Refined
from vouch.retrieval.candidate import Candidate


def words(text: str) -> int:
    return len(text.split())


def refined(n: int, lengths: list[int]) -> Refined:
    strips, text = [], ""
    for length in lengths:
        start = len(text)
        text += "word " * length
        strips.append((start, len(text) - 1))
        text += "cut. "
    return Refined(Candidate(passage(text, chunk_id=f"c{n}"), probability=0.5), tuple(strips))


@given(st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=4), max_size=6), st.integers(0, 120))
def test_evidence_is_numbered_in_order_and_within_budget(passages: list[list[int]], budget: int) -> None:
    given_ = [refined(n, lengths) for n, lengths in enumerate(passages)]
    packed = pack(given_, budget, words)
    assert [one.number for one in packed] == list(range(1, len(packed) + 1))
    ids = [one.passage.chunk_id for one in packed]
    assert ids == sorted(ids)
    strips = {r.candidate.chunk_id: r.strips for r in given_}
    for one in packed:
        assert one.strips and one.strips == strips[one.passage.chunk_id][: len(one.strips)]
    spent = sum(
        FRAME_TOKENS + words(heading(e.passage)) + sum(words(e.passage.text[a:b]) for a, b in e.strips) for e in packed
    )
    assert spent <= budget or sum(len(e.strips) for e in packed) == 1
    assert bool(packed) == bool(passages)


@given(st.lists(st.sampled_from(["a b", "a  b", "a\nb", "c", " ", ""])))
def test_equal_words_stay_once_at_their_best_place(found: list[str]) -> None:
    kept = distinct([Candidate(passage(text, chunk_id=f"c{n}")) for n, text in enumerate(found)])
    seen = [" ".join(c.passage.text.split()) for c in kept]
    assert len(seen) == len(set(seen)) and set(seen) == {" ".join(t.split()) for t in found} - {""}
    for one, text in zip(kept, seen, strict=True):
        assert one.chunk_id == f"c{[' '.join(t.split()) for t in found].index(text)}"


def test_a_heading_does_not_repeat_the_title() -> None:
    assert heading(passage("x", title="Leave", section=("Leave", "Sick"))) == "Leave > Sick"
    assert heading(passage("x", title="", section=())) == ""
