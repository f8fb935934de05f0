"""Where lines break on a terminal."""

import textwrap

from hypothesis import example, given
from hypothesis import strategies as st

from bots.wrapping import cells, wrap

WORDS = st.lists(st.text("ab.-", min_size=1, max_size=12), min_size=1, max_size=30).map(" ".join)


@given(WORDS, st.integers(8, 40))
def test_plain_words_break_where_the_standard_library_breaks_them(text: str, width: int) -> None:
    usual = textwrap.wrap(text, width, initial_indent="* ", subsequent_indent="    ", break_long_words=False,
                          break_on_hyphens=False)
    assert wrap(text, width, "* ", "    ") == usual


@example("     a", 4)
@given(st.text("ab/日本語、é ", min_size=1, max_size=80), st.integers(4, 30))
def test_parted_words_fit_and_lose_nothing(text: str, width: int) -> None:
    lines = wrap(text, width, part_words=True)
    assert max(map(cells, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_characters_of_two_columns_count_twice_and_need_no_blank() -> None:
    assert cells("日本") == 4 and cells("e\u0301") == 1
    assert wrap("必须检修一次。然后运行", 12) == ["必须检修一", "次。然后运行"]
    assert wrap("必须检修一次。然后运行", 13) == ["必须检修一", "次。然后运行"], "a stop never begins a line"


def test_paths_part_after_a_slash() -> None:
    assert wrap("company/people/salary-bands.md", 16, part_words=True) == ["company/people/", "salary-bands.md"]
