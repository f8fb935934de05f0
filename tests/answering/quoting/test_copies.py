"""Copies of a passage: it is given once, under the plainest name that its readers may see."""

from dataclasses import replace

import pytest
from homes.small_world import NOBODY, OPEN, handbook, passage, small_world
from hypothesis import given, settings
from hypothesis import strategies as st

from vouch.answering.copies import by_kept_ids, distinct, plainness
from vouch.correction.loop import answer_question
from vouch.values.candidate import Candidate

PATHS = ("leave.md", "leave (2).md", "hr/leave.md", "archive/leave.md", "old/hr/leave.md", "hr/copy of leave.md",
         "hr/policies/parental leave 2024.md", "zz.md")
LEAVE = "Parents get 12 weeks of paid leave. It must be used within one year."


@given(st.lists(st.sampled_from(["a b", "a  b", "a\nb", "c", " ", ""])))
def test_equal_words_stay_once_at_their_best_place(found: list[str]) -> None:
    kept = distinct([Candidate(passage(text, chunk_id=f"c{n}")) for n, text in enumerate(found)])
    seen = [" ".join(c.passage.text.split()) for c in kept]
    assert len(seen) == len(set(seen)) and set(seen) == {" ".join(t.split()) for t in found} - {""}
    for one, text in zip(kept, seen, strict=True):
        assert one.chunk_id == f"c{[' '.join(t.split()) for t in found].index(text)}"


@given(st.lists(st.tuples(st.sampled_from(["a b", "c"]), st.sampled_from(PATHS)), unique=True), st.randoms())
def test_of_copies_the_plainest_is_cited_in_whatever_order_they_were_found(
    found: list[tuple[str, str]], random: object
) -> None:
    candidates = [Candidate(passage(text, chunk_id=f"c{n}", path=path)) for n, (text, path) in enumerate(found)]
    shuffled = list(candidates)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for order in (candidates, shuffled):
        kept = distinct(order)
        assert [one.passage.text for one in kept] == list(dict.fromkeys(one.passage.text for one in order))
        for one in kept:
            same = [other.passage for other in order if other.passage.text == one.passage.text]
            assert plainness(one.passage) == min(map(plainness, same))


def test_plain_is_a_short_path_in_few_folders_without_a_word_for_what_is_set_aside() -> None:
    order = sorted(PATHS, key=lambda path: plainness(passage("x", path=path)))
    assert order == ["zz.md", "leave.md", "hr/leave.md", "hr/policies/parental leave 2024.md", "leave (2).md",
                     "archive/leave.md", "hr/copy of leave.md", "old/hr/leave.md"]


@pytest.mark.parametrize("change", [
    {"section": ("B",)}, {"origin": "external"}, {"header": "| a |"}, {"injection": True},
])
def test_what_models_did_not_read_alike_does_not_take_the_place_of_another(change: dict[str, object]) -> None:
    first, other = passage("a b", path="old/leave.md"), passage("a b", path="leave.md", **change)
    assert distinct([Candidate(first), Candidate(other)]) == [Candidate(first)]
    judged = Candidate(first, probability=0.7)
    assert distinct([judged, Candidate(replace(first, path="leave.md"))]) == [judged]


def test_a_plainer_copy_takes_the_name_and_not_the_numbers_of_what_was_found() -> None:
    first = Candidate(passage("a b", chunk_id="c1", path="old/leave.md"), rerank_score=0.9, probability=0.8)
    copy = Candidate(passage("a b", chunk_id="c2", path="leave.md"), rerank_score=0.4, probability=0.3)
    [kept] = distinct([first, copy])
    assert kept == replace(first, passage=copy.passage)


@pytest.mark.parametrize(("found", "kept_id"), [(("c1", "c2"), "c2"), (("c2", "c1"), "c2")])
@pytest.mark.parametrize("known", ["c1", "c2"])
def test_what_a_step_brought_is_known_by_the_copy_that_is_kept(
    found: tuple[str, str], kept_id: str, known: str
) -> None:
    paths = {"c1": "old/leave.md", "c2": "leave.md"}
    candidates = [Candidate(passage("a b", chunk_id=name, path=paths[name])) for name in found]
    kept = distinct(candidates)
    assert by_kept_ids({known: "leave"}, candidates, kept) == {kept_id: "leave"}
    assert by_kept_ids({"another": "leave"}, candidates, kept) == {}


@settings(max_examples=25)
@given(st.sets(st.sampled_from(PATHS), min_size=1), st.sets(st.sampled_from(PATHS)))
def test_only_copies_that_the_readers_may_read_decide_which_is_cited(seen: set[str], hidden: set[str]) -> None:
    """With the hidden copies there or not, the citation is the same: the plainest of those that are seen."""
    cited = []
    for paths in (seen, seen | hidden):
        copies = [passage(LEAVE, chunk_id=f"{number:02}", path=path, section=("Parental leave",), title="Leave")
                  for number, path in enumerate(PATHS) if path in paths]
        world = small_world([*copies, *(one for one in handbook() if one.path != "leave.md")])
        world.index.labels.update({one.chunk_id: OPEN if one.path in seen else NOBODY for one in copies})
        answer = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).answer
        assert answer.sentences
        cited.append({citation.path for citation in answer.citations} & set(PATHS))
    assert cited == [{min(seen, key=lambda path: plainness(passage("x", path=path)))}] * 2
