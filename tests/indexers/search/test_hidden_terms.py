"""What stands in hidden rows alone is not summed: a word asked six hundred times would tell by its time."""

from pathlib import Path
from typing import Any

import pytest
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, DIRECTORY, NOW, PERMISSIONS, Paper, publish

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from indexers.segments.postings import CommonTerm, RareTerm


def test_a_word_of_hidden_rows_alone_is_as_little_work_as_an_unknown_one(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = IndexStore(memory_folder, MemoryVersions(), ANALYSER, 8.0)
    papers = [Paper("open/a.md", (("Rules", ("travel budget approval",)),)),
              Paper("people/b.md", (("Rules", ("severance budget plan",)),))]
    publish(store, MemoryVectors(HashEncoder()), [paper.record for paper in papers], cursor=1)
    view = LiveIndex(store, FixedPermissions(PERMISSIONS), lambda: NOW).view(DIRECTORY.audience(["public"], NOW))
    summed: list[Any] = []
    for kind in (RareTerm, CommonTerm):
        monkeypatch.setattr(kind, "add", lambda self, factor, scores: summed.append(factor))
    view.lexical(ANALYSER.terms("severance plan nowhere " * 5), 10)
    assert summed == []
    view.lexical(ANALYSER.terms("budget"), 10)
    assert len(summed) == 1
