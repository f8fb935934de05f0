"""Common terms are scored another way than rare ones, with the same numbers."""

from pathlib import Path

import pytest
from two_world.observing import observe
from two_world.worlds import Batch, Pair, Paper, open_world

from indexers.segments import postings


@pytest.mark.parametrize("share", [0, 3, 10**9])
def test_how_common_terms_are_scored_changes_no_bit(
    share: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers = tuple(
        Paper(f"{folder}/{n}.md", (("Rules", ("travel " * (n % 5 + 1) + "budget " * (n % 3), "leave")),))
        for n, folder in enumerate(('open', 'team') * 12)
    )
    pair = Pair(("public",), "travel budget budget leave", (Batch(papers[:18]), Batch(papers[18:])), ())
    world = open_world(tmp_path, pair.first)
    wanted = observe(world, pair)
    monkeypatch.setattr(postings, "_MANY", share)
    assert observe(world, pair) == wanted
