"""A golden question is searched as its reader, in trainings as elsewhere."""

from pathlib import Path

import pytest
from homes.ingest_bench import Bench
from learning_scene.labeled_scene import ANALYSER

from flows.training.finding import Finder, golden_candidates
from indexers.live_index import LiveIndex
from vouch.access import PUBLIC, Directory, Permissions, Rule, RuleBook
from vouch.errors import NotFound
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote

QUOTE = "The board sits on the second Monday."
BOARD = "group:board"


class House:
    """What the public may read, and one paper for the board."""

    def __init__(self, bench: Bench, root: Path) -> None:
        root.mkdir()
        (root / "kitchen.md").write_text("# Kitchen\n\nWho leaves last turns off the light of the kitchen.\n")
        (root / "board.md").write_text(f"# Board\n\n{QUOTE}\n")
        bench.folder("docs", root)
        bench.ingest()
        self.finder = Finder(LiveIndex(bench.components.store, self), self.permissions, lambda: bench.encoder,
                             ANALYSER, 20)

    def permissions(self) -> Permissions:
        rules = (Rule("**", frozenset({PUBLIC})), Rule("board.md", frozenset({BOARD})))
        return Permissions.settled(1, {"docs": RuleBook(rules)}, Directory(groups={"board": ()}))

    def found(self, readers: dict[str, str], **question: str) -> bool:
        asked = GoldenQuestion("g", "When does the board sit?", True, gold=((GoldQuote("board.md", QUOTE),),),
                               **question)  # type: ignore[arg-type]
        (one,) = golden_candidates(self.finder, [asked], readers, lambda *_: None)
        return any(one.relevance.values())


@pytest.fixture
def house(bench: Bench, tmp_path: Path) -> House:
    return House(bench, tmp_path / "docs")


def test_a_golden_question_finds_what_its_reader_may_read(house: House) -> None:
    assert not house.found({})
    assert house.found({}, reader=BOARD)
    assert house.found({"papers": BOARD}, corpus="papers")
    assert not house.found({"papers": PUBLIC}, corpus="papers", reader=BOARD), "that of the corpus goes before it"


def test_a_reader_nobody_knows_is_told(house: House) -> None:
    with pytest.raises(NotFound, match="group:boards"):
        house.found({}, reader="group:boards")
