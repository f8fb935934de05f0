"""A sum is shown with its signs: without them it is another number."""

import pytest

from vouch.adapters.parsers.markdown.inline_marks import inline_marks


@pytest.mark.parametrize(("text", "marks"), [
    ("The small one holds 2**8 entries and the large one 2**10.", []),
    ("The product 3*4*5 is asked for.", []),
    ("**2**8 and 2**8**", ["**", "**"]),
    ("2**8 is **bold**, and 3 *is* so", ["**", "**", "*", "*"]),
    ("`2**8` **2** *3*", ["**", "**", "*", "*"]),
])
def test_an_asterisk_between_digits_is_no_mark(text: str, marks: list[str]) -> None:
    assert [text[a:b] for a, b in inline_marks(text, {})] == marks
