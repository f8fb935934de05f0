"""What a judge is trained on: batches that hold twins, the same for the same seed and number."""

import pytest

from vouch.errors import BadInput
from vouch.learning.collections.labeled import ROWS, TWINS, Batches, JudgedPair, in_split, near_misses, row_of

TWIN = [
    JudgedPair(f"What {word} {n}?", f"Passage {n}.", word == "is", f"Title {n}", f"article {n}", f"id {n}")
    for n in range(40) for word in ("was", "is")
]
SINGLE = [JudgedPair(f"Who {n}?", f"Passage {n}.", n % 2 == 0, group=f"article {n}") for n in range(40)]


def test_a_batch_begins_with_twins_and_goes_on_with_as_many_of_both_labels() -> None:
    drawn = Batches(TWIN + SINGLE, 3).draw(0)
    rows, labels = drawn.rows, list(drawn.labels)
    assert len(rows) == len(labels) == ROWS
    assert labels == [1.0, 0.0] * TWINS + [1.0] * 4 + [0.0] * 4
    for right, wrong in zip(rows[: 2 * TWINS : 2], rows[1 : 2 * TWINS : 2], strict=True):
        assert right[0].replace("is", "was") == wrong[0]
        assert right[1].splitlines()[-1] == wrong[1].splitlines()[-1]
    assert all(question.startswith("Who") for question, _ in rows[-4:])      # what is wrong by itself is no twin's half


def test_without_twins_both_labels_share_it() -> None:
    batches = Batches(SINGLE, 3)
    assert not batches.has_twins and batches.draw(1).labels == (1.0,) * 16 + (0.0,) * 16


def test_a_batch_depends_on_seed_and_number_alone() -> None:
    first, again = Batches(TWIN + SINGLE, 3), Batches(TWIN + SINGLE, 3)
    again.draw(5)
    assert first.draw(7) == again.draw(7) != first.draw(8)
    assert first.draw(7) != Batches(TWIN + SINGLE, 4).draw(7)


def test_half_of_the_titles_are_left_out() -> None:
    rows = [row for number in range(60) for row in Batches(TWIN, 0).draw(number).rows]
    assert 0.45 < sum(text.startswith("Title") for _, text in rows) / len(rows) < 0.55
    assert row_of(TWIN[0]) == ("What was 0?", "Title 0\nPassage 0.")
    assert row_of(SINGLE[0]) == ("Who 0?", "Passage 0.")


def test_no_group_is_in_two_splits() -> None:
    splits = [in_split(TWIN + SINGLE, split) for split in ("train", "calibration", "test")]
    groups = [{pair.group for pair in split} for split in splits]
    assert all(groups) and sum(map(len, splits)) == len(TWIN + SINGLE)
    assert not groups[0] & groups[1] and not groups[0] & groups[2] and not groups[1] & groups[2]


def test_what_a_judge_is_chosen_by_are_twins_if_there_are_any() -> None:
    chosen = near_misses(TWIN + SINGLE, 20, 1)
    assert len(chosen) == 20 and all(pair.twin for pair in chosen) and chosen == near_misses(TWIN + SINGLE, 20, 1)
    assert near_misses(SINGLE, 100, 1) == SINGLE


def test_of_a_file_that_is_named_twice_twice_as_many_are_drawn() -> None:
    few = [JudgedPair(f"{word}?", "One passage.", word == "right", twin="id 0") for word in ("right", "wrong")]
    drawn = [row for number in range(200) for row in Batches(TWIN + few + few, 0).draw(number).rows[: 2 * TWINS : 2]]
    assert 1.5 < drawn.count(("right?", "One passage.")) / (len(drawn) / 42) < 2.5
    assert len(near_misses(TWIN + TWIN, 1000, 0)) == 2 * len(TWIN)


def test_a_few_twins_neither_fill_batches_nor_measure() -> None:
    assert not Batches(TWIN[:10] + SINGLE, 0).has_twins
    assert near_misses(TWIN[:10] + SINGLE, 100, 0) == TWIN[:10] + SINGLE


def test_twins_without_a_group_stay_together() -> None:
    twins = [JudgedPair(f"{word} {n}?", f"Passage {n}.", word == "is", twin=str(n))
             for n in range(60) for word in ("is", "was")]
    for split in ("train", "calibration", "test"):
        assert len(near_misses(in_split(twins, split), 1000, 0)) == len(in_split(twins, split)) > 0


@pytest.mark.parametrize("label", [True, False])
def test_pairs_of_one_label_teach_nothing(label: bool) -> None:
    with pytest.raises(BadInput, match="answer"):
        Batches([pair for pair in SINGLE if pair.answers == label], 0)
