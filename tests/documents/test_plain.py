"""The shortcuts of `plain` against all of its rules, one after the other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vouch.documents import chunk

_PIECES = ["leave", " ", "  ", "\t", "\n", "[a](b)", "![a](b \"c\")", "](", "[", ")", "<b>", "</i>", "<", ">", "*",
           "**", "_", "__x__", "# ", "##", "`", "``", "- ", "é", "\u00a0", "\u2003", "[*a*](<b>)", "<a [b](c)>"]


@pytest.mark.slow
@settings(max_examples=400, deadline=None, database=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join) | st.text(max_size=40))
def test_every_rule_of_plain_is_used_where_it_applies(text: str) -> None:
    wanted = chunk._LINK.sub(r"\1", chunk._IMAGE.sub(r"\1", text))
    wanted = chunk._SPACE.sub(" ", chunk._MARKS.sub("", chunk._TAG.sub(" ", wanted))).strip()
    assert chunk.plain(text) == wanted
