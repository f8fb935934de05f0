"""Hidden documents change nothing that a reader observes, through the whole pipeline and a process that lives on."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import SystemRandom

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from running.soak_table import Figures
from two_world.drawing import ANEW
from two_world.folder_moves import OWN, SHARED
from two_world.playing import play
from two_world.prompts import Chat

MOVES = (*SHARED, *OWN, "damage", "damage", "purge_unseen")
LARGE = ("own_bulk", "add_large")
FAST, LONG, PART = 5, 1_000, 25

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]


@pytest.fixture(scope="module")
def chat() -> Iterator[Chat]:
    with Chat() as server:
        yield server


def play_many(
    folder: Path, count: int, number: int, chat: Chat, counts: Counter[str], moves: tuple[str, ...] = MOVES
) -> None:
    """`counts` says what was done."""
    histories = st.lists(st.tuples(st.sampled_from(moves), st.integers(0, 2**16)), min_size=6, max_size=16)

    @seed(number)
    @settings(ANEW, max_examples=count, suppress_health_check=list(HealthCheck), report_multiple_bugs=False)
    @given(histories)
    def check(history: list[tuple[str, int]]) -> None:
        play(folder, history, counts, chat)
        counts["pairs"] += 1

    check()


def test_hidden_documents_change_nothing_from_folders_to_posts(memory_folder: Path, chat: Chat) -> None:
    counts: Counter[str] = Counter()
    play_many(memory_folder, FAST, 1, chat, counts)
    assert counts["something found"] > counts["observations"] / 3 and counts["answered"] > counts["observations"] / 10
    sent = ("add", "ingest", "ask", "post", "ask", "post")
    play(memory_folder, [(move, number) for number, move in enumerate(sent)], counts, chat)
    assert counts["prompts"] and counts["posted"]           # what is drawn may hold none of them


def test_a_thousand_hidden_rows_change_nothing(memory_folder: Path, chat: Chat) -> None:
    moves = ("own_bulk", "own_ingest", "add_large", "ingest", "edit", "ask", "ingest", "damage", "rollback", "post")
    play(memory_folder, [(move, number) for number, move in enumerate(moves)], chat=chat)


@pytest.mark.soak
def test_a_thousand_pairs_from_folders(memory_folder: Path, chat: Chat, figures: Figures, unlogged: None) -> None:
    first, counts = SystemRandom().randrange(10**6), Counter[str]()
    print(f"\nseeds from {first}")
    for number in range(first, first + LONG // PART):
        play_many(memory_folder, PART, number, chat, counts, (*MOVES, *LARGE))
        print(f"to seed {number}: {counts['pairs']} pairs, 0 differences", flush=True)
    done = ("ingest", "rollback", "damage", "purge", "own_purge", "post", *LARGE)
    figures("two worlds, from folders to posts", f"{counts['pairs']:,} pairs, seeds from {first}",
            f"0 differences in {counts['observations']:,} observations, {counts['answered']:,} of them answers, and "
            f"{counts['prompts']:,} prompts; "
            + ", ".join(f"{counts[name]} {name}" for name in done))
    assert counts["pairs"] >= LONG and counts["posted"] and counts["prompts"]
