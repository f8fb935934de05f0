"""Why labels had no part in a training is told by the reasons that took most of them."""

from vouch.learning.training.training_report import left_out_line


def test_the_largest_reasons_are_told_and_nothing_where_all_had_a_part() -> None:
    assert left_out_line({}) == ""
    reasons = {"of another text": 2, "not among the candidates": 1250, "about a purged passage": 7, "old": 1}
    told = left_out_line(reasons)
    assert told.startswith("labels left out: 1250 not among the candidates, 7 about a purged passage")
