"""Hidden documents change no bit of what a reader sees: through BM25, vectors, statistics and passages."""

import random
from collections import Counter

import numpy as np
import pytest
from homes.memory import folder_in_memory
from hypothesis import Phase, given, seed, settings
from running.soak_table import Figures
from two_world.drawing import ALIKE, world_pairs
from two_world.every_row import every_row
from two_world.observing import differences
from two_world.worlds import ANALYSER, Pair, open_world

from indexers.search.engines import LexicalIndex
from indexers.search.faiss_vectors import VectorIndex
from indexers.search.view import LiveView
from vouch.values.candidate import Hit

PAIRS = 150
pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]


def test_hidden_documents_change_nothing() -> None:
    rivals = []

    @settings(ALIKE, max_examples=PAIRS)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        assert differences(pair) == []
        rivals.append(pair.rival is not None)

    check()
    assert len(rivals) >= PAIRS and np.mean(rivals) >= 0.5


@pytest.mark.soak
def test_ten_thousand_pairs(figures: Figures) -> None:
    first = random.SystemRandom().randrange(10**6)
    print(f"\nseeds from {first}")
    moves: Counter[str] = Counter()
    for number in range(first, first + 20):             # in parts, for Hypothesis remembers all it has drawn

        @seed(number)
        @settings(ALIKE, max_examples=500, derandomize=False)
        @given(world_pairs())
        def check(pair: Pair) -> None:
            assert differences(pair) == []
            moves.update(["pairs", *{type(step).__name__ for step in pair.first + pair.second}])

        check()
        print(f"to seed {number}: {dict(moves)}, 0 differences", flush=True)
    assert moves["pairs"] >= 10_000
    figures("two worlds, engines and passages", f"{moves.pop('pairs'):,} pairs, seeds from {first}",
            f"0 differences; pairs with {dict(moves)}")


class PlainStatistics(LiveView):
    """The planted bug: document frequencies of the whole collection, as search engines count them."""

    def lexical(self, terms: list[str], top: int) -> list[Hit]:
        version = self._version
        hits = LexicalIndex(version).search(terms, every_row(version), len(version.rows.live))
        return [hit for hit in hits if self.shows(hit.chunk_id)][:top]


class PostFilter(LiveView):
    """The planted bug: search everything, then leave out what may not be read."""

    def dense(self, vector: np.ndarray, top: int) -> list[Hit]:
        hits = VectorIndex(self._version).search(vector, every_row(self._version), top)
        return [hit for hit in hits if self.shows(hit.chunk_id)]


@pytest.mark.parametrize(("bug", "shown"), [(PlainStatistics, "lexical"), (PostFilter, "dense")])
def test_a_planted_leak_is_found(bug: type[LiveView], shown: str) -> None:
    found: list[str] = []

    @settings(ALIKE, max_examples=40, phases=[Phase.generate])
    @given(world_pairs())
    def check(pair: Pair) -> None:
        if not found:
            found.extend(differences(pair, make=bug))

    check()
    assert found and all(name.startswith(shown) for name in found)


def test_a_rival_would_be_on_top_if_it_were_seen() -> None:
    """The pairs are hard ones: without permissions the hidden rival is among the first three."""
    tops = []

    @settings(ALIKE, max_examples=60)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        with folder_in_memory() as home:
            if pair.rival is None:
                return
            version = open_world(home, pair.rival).store.open_current()
            assert version is not None
            hits = LexicalIndex(version).search(ANALYSER.terms(pair.question), every_row(version), 3)
            rival = {c.id for h in version.headers if h.path.endswith("rival.md")
                     for c in version.record(h.source, h.path).chunks}
            tops.append(any(hit.chunk_id in rival for hit in hits))

    check()
    assert len(tops) > 15 and np.mean(tops) > 0.9
