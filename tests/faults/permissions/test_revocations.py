"""What was revoked stays revoked, whatever happens to rules, people, documents, versions and files."""

import gc
import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from faults.permissions.revocation_oracle import Doc
from faults.permissions.revoked_world import RevokedWorld
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from running.soak_table import Figures

import indexers.versions.limits
import indexers.versions.version_cache
from indexers.versions.last_grants import LastGrants, Ways
from indexers.versions.limits import _Documents
from indexers.versions.version_cache import VersionCache
from vouch.access import PUBLIC, Permissions
from vouch.errors import NotFound

MOVES = (
    "rules", "rules", "broken_rules", "people", "add", "edit", "narrow", "spoil", "copy", "move", "move", "delete",
    "insert", "clear", "clear", "keep_a_copy_and_clear", "rename_folder_with_its_rule",
    "ingest_all", "ingest_all", "ingest_one", "ingest_paths", "rollback", "rollback",
    "release", "sweep", "compact", "purge", "damage", "damage",
)
HISTORIES = st.lists(st.tuples(st.sampled_from(MOVES), st.integers(0, 2**16)), min_size=12, max_size=30)
FAST, LONG = 25, 2_000

pytestmark = pytest.mark.usefixtures("quick_disk")


def play(folder: Path, history: list[tuple[str, int]]) -> None:
    """Raises AssertionError when somebody sees what was taken from him, or misses what a whole ingest granted."""
    gc.collect()                                # of thousands of worlds, each with files open until it is collected
    with tempfile.TemporaryDirectory(dir=folder) as place:
        world = RevokedWorld(Path(place), random.Random(history[0][1]))
        assert list(world.wrong()) == []
        for number, (move, dice) in enumerate(history):
            world.rng, world.settled = random.Random(dice), False
            getattr(world, move)()
            problems = list(world.wrong())
            assert problems == [], f"after {number}, {move}"


def play_many(folder: Path, count: int, *, shrink: bool = True, first: int | None = None) -> None:
    phases = tuple(Phase) if shrink else (Phase.generate,)
    wanted = settings(max_examples=count, deadline=None, phases=phases, database=None, derandomize=False,
                      suppress_health_check=list(HealthCheck), report_multiple_bugs=False)

    @given(HISTORIES)
    def histories(history: list[tuple[str, int]]) -> None:
        play(folder, history)

    gc.freeze()                                 # what is there already need not be looked through after each world
    try:
        wanted(histories if first is None else seed(first)(histories))()
    finally:
        gc.unfreeze()


def test_what_was_revoked_is_never_read_again(memory_folder: Path) -> None:
    play_many(memory_folder, FAST)


@pytest.mark.soak
def test_what_was_revoked_is_never_read_again_for_long(memory_folder: Path, figures: Figures, unlogged: None) -> None:
    play_many(memory_folder, LONG)
    figures("random histories of rules, people, documents, rollbacks and damage", f"{LONG} histories",
            "0 texts read after they were revoked")


def test_grants_that_do_not_wait_for_a_scan_are_found(memory_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: paths of the last scan under the rules of now alone."""
    monkeypatch.setattr(Permissions, "_plain", lambda held, source, one: held.granting(source, one.path, one.narrowed))
    with pytest.raises(AssertionError, match="after"):
        play_many(memory_folder, 60, shrink=False, first=1)


def cleared_and_then_opened(place: Path) -> list[str]:
    """What is seen wrongly when a page that nobody could read is cleared, opened, and rolled back."""
    world = RevokedWorld(place, random.Random(1))
    world.home.put_rules("hall", [("**", [])])
    world.home.put("hall", "pub/page.md", Doc(("secret",)))
    world.ingest_all()
    number = world.home.current
    world.home.put("hall", "pub/page.md", Doc(("secret", "cleared")))
    world.home.put_rules("hall", [("**", [PUBLIC])])
    world.ingest_all()
    assert list(world.wrong()) == []
    world.settled = False
    world.home.rollback(number, hide=True)
    return list(world.wrong())


def test_what_was_cleared_before_it_was_opened_stays_closed(memory_folder: Path) -> None:
    assert cleared_and_then_opened(memory_folder) == []


def test_old_contents_under_the_rules_of_now_alone_are_found(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: whoever is let in to a page may read what it said before."""
    monkeypatch.setattr(LastGrants, "limits", lambda self: iter(()))
    assert any("secret" in problem for problem in cleared_and_then_opened(memory_folder))


def no_limits(opener, target, current):
    """Planted: a version that is served in place of the current one is limited by nothing that came after it."""
    return {}


def test_old_contents_without_limits_are_found(memory_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VersionCache, "limits", no_limits)
    with pytest.raises(AssertionError, match="after"):
        play_many(memory_folder, 60, shrink=False, first=1)


def copied_and_cleared(place: Path) -> list[str]:
    """What is seen wrongly when a page that nobody could read is copied whole, cleared, opened, and rolled back."""
    world = RevokedWorld(place, random.Random(1))
    full = Doc(("common",), more=("secret",), name="page")
    world.home.put_rules("hall", [("**", [])])
    world.home.put("hall", "pub/page.md", full)
    world.ingest_all()
    number = world.home.current
    world.home.put("hall", "kept/page.md", replace(full, name="copy", origin="page"))
    world.home.put("hall", "pub/page.md", replace(full, more=(), cleared=("secret",)))
    world.home.put_rules("hall", [("**", [PUBLIC]), ("kept/**", [])])
    return rolled_back(world, number)


def edited_and_cleared(place: Path) -> list[str]:
    """The same of an open page that is edited elsewhere, closed, cleared and opened again."""
    world = RevokedWorld(place, random.Random(1))
    full = Doc(("common",), more=("secret", "typo"), name="page")
    for more in (full.more, ("secret", "mended")):
        world.home.put("hall", "pub/page.md", replace(full, more=more))
        world.ingest_all()
    number = world.home.current - 1
    world.home.put_rules("hall", [("**", [])])
    world.home.watched.refresh()
    world.oracle.look(world.home.watched.permissions().rulebooks)
    world.home.put("hall", "pub/page.md", replace(full, more=(), cleared=("secret", "typo", "mended")))
    world.ingest_all()
    world.home.put_rules("hall", [("**", [PUBLIC])])
    return rolled_back(world, number)


def rolled_back(world: RevokedWorld, number: int) -> list[str]:
    world.ingest_all()
    assert list(world.wrong()) == []
    world.settled = False
    world.home.rollback(number, hide=True)
    return list(world.wrong())


def moved_deleted_and_swept(place: Path) -> list[str]:
    """What is seen wrongly after a rollback to what is older than all that a sweep has left, and somebody has open.

    The page moves, is deleted, and comes back hidden where it had moved to; then what told of it is swept.
    """
    world, page = RevokedWorld(place, random.Random(1)), Doc(("secret",), name="page")
    world.home.put("hall", "pub/page.md", page)
    world.ingest_all()
    oldest = world.home.current
    held = world.home.store.open(oldest)
    world.home.take("hall", "pub/page.md")
    world.home.put("hall", "kept/page.md", page)
    world.ingest_all()
    moved = world.home.current
    world.home.take("hall", "kept/page.md")
    world.ingest_all()
    for _ in range(2):                          # as many as a sweep of this world leaves
        world.home.rollback(moved, hide=True)
    assert oldest in world.home.store.sweep().pinned and list(world.wrong()) == []
    world.settled = False
    with suppress(NotFound):
        world.home.rollback(oldest, hide=True)
    assert held.number == oldest                # open until here
    return list(world.wrong())


def test_what_a_swept_version_took_stays_taken(memory_folder: Path) -> None:
    assert moved_deleted_and_swept(memory_folder) == []


def test_a_rollback_behind_what_is_swept_is_found(memory_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: whatever is still there may be served again."""
    for module in (indexers.versions.limits, indexers.versions.version_cache):
        monkeypatch.setattr(module, "newest_retired", lambda rows: 0)
    assert any("secret" in problem for problem in moved_deleted_and_swept(memory_folder))


PASSAGES = (copied_and_cleared, edited_and_cleared)


@pytest.mark.parametrize("history", PASSAGES)
def test_a_passage_that_was_cleared_stays_closed(history: Callable[[Path], list[str]], memory_folder: Path) -> None:
    assert history(memory_folder) == []


def test_a_page_taken_for_where_one_of_its_passages_is_is_found(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: a page that was cleared stands for all that it said."""
    ways = _Documents.ways

    def where_it_was(self, header, earlier):
        found = ways(self, header, earlier)
        here = tuple(group for group in found.groups if header.place in (one.place for one in group))
        return Ways(here) if here else found

    monkeypatch.setattr(_Documents, "ways", where_it_was)
    assert any("secret" in problem for problem in copied_and_cleared(memory_folder))


def test_whole_contents_that_alone_have_a_history_are_found(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: what a later state of a page had to meet says nothing of an earlier one."""
    had = LastGrants.had

    def of_the_bytes(self, row, own, header, ways):
        if row.number == self._current or any(one.hash == header.hash for group in ways.groups for one in group):
            had(self, row, own, header, ways)

    monkeypatch.setattr(LastGrants, "had", of_the_bytes)
    assert any("secret" in problem for problem in edited_and_cleared(memory_folder))
