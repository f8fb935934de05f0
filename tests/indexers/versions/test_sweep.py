"""What is kept, who pins what, and what a sweep leaves alone."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from machines.ledger_place import new_ledger
from running.forked import ended, fork, kill
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors
from two_world.worlds import ANALYSER, DIRECTORY, NOW, PERMISSIONS, SOURCE, make_record, publish

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore, Keep, Swept
from indexers.publishing.sweep import outdated
from indexers.versions.version_locks import nobody_publishes, pin_version, publishing, unpinned
from vouch.adapters.ledger import Ledger
from vouch.errors import Damaged, NotFound
from vouch.ports.stores import VersionRow


class Home:
    def __init__(self, path: Path, keep: int = 1, days: float = 0) -> None:
        self.path = path
        self.ledger: Ledger = new_ledger(path / "ledger.sqlite")
        self.vectors = MemoryVectors(HashEncoder())
        self.store = self.process(keep, days)

    def process(self, keep: int = 1, days: float = 0) -> IndexStore:
        """The home as another process finds it."""
        return IndexStore(self.path, self.ledger.versions, ANALYSER, 8.0, Keep(keep, days))

    def put(self, path: str, *words: str) -> int:
        done = publish(self.store, self.vectors, [make_record(SOURCE, path, [("Rules", words or ("travel",))])])
        return int(done.version)

    def states(self) -> list[str]:
        return [row.state for row in self.ledger.versions.rows()]


@pytest.fixture
def home(memory_folder: Path) -> Iterator[Home]:
    home = Home(memory_folder)
    for n in range(4):
        home.put(f"open/{n}.md")
    home.store = home.process()                             # which has nothing open
    yield home
    home.ledger.close()


ROWS = st.lists(st.tuples(st.sampled_from(("published", "retired", "abandoned", "building")),
                          st.floats(-30, 300)), max_size=30)


@given(ROWS, st.integers(1, 8), st.floats(0, 200), st.integers(0, 40))
def test_outdated_is_neither_new_nor_young_nor_current(
    drawn: list[tuple[str, float]], count: int, days: float, current: int
) -> None:
    rows = [VersionRow(n, None, s, NOW - timedelta(days=age)) for n, (s, age) in enumerate(drawn, 1)]
    found = outdated(rows, current, Keep(count, days), NOW)
    for row in rows:
        newer = sum(other.number > row.number and other.state == "published" for other in rows)
        young = row.created_at >= NOW - timedelta(days=days)
        keep = row.state != "published" or newer < count or young or row.number == current
        assert (row.number in found) != keep


def test_a_retired_version_is_listed_and_cannot_be_opened_or_gone_back_to(home: Home) -> None:
    swept = home.store.sweep()
    assert (swept.retired, swept.pinned) == ((1, 2, 3), ())
    assert home.states() == ["retired"] * 3 + ["published"]
    for act in (home.store.open, home.store.manifest, home.store.verify, home.store.rollback):
        with pytest.raises(NotFound, match="version 2 is retired") as told:
            act(2)
        assert "vouch versions list" in told.value.cure
    assert home.store.verify(4) == [] and home.put("open/5.md") == 5


def test_a_version_never_published_cannot_be_gone_back_to(home: Home) -> None:
    row = home.ledger.versions.allocate(4)
    home.store._files.write_manifest(home.store.manifest(4).model_copy(update={"version": row.number}))
    with pytest.raises(NotFound, match="is building"):
        home.store.rollback(row.number)


def test_young_versions_stay_whatever_their_number(home: Home) -> None:
    assert home.process(1, 7).sweep() == Swept()
    assert home.process(4, 0).sweep() == Swept()
    assert home.process(3, 0).sweep().retired == (1,)


def test_a_clock_set_back_deletes_nothing_and_does_not_stop_sweeps_for_ever(home: Home) -> None:
    class EarlierClock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return datetime(2020, 1, 1, tzinfo=UTC)

    import indexers.publishing.index_store as module

    real, module.datetime = module.datetime, EarlierClock  # type: ignore[misc]
    try:
        assert home.store.sweep() == Swept()
    finally:
        module.datetime = real  # type: ignore[misc]
    (home.path / "swept").touch()
    assert home.store.sweep_if_due() is None
    later = time.time() + 10**6
    os.utime(home.path / "swept", (later, later))           # by a clock that was wrong
    swept = home.store.sweep_if_due()
    assert swept is not None and swept.retired == (1, 2, 3)
    assert home.store.sweep_if_due() is None
    os.utime(home.path / "swept", (1, 1))
    assert home.store.sweep_if_due() == Swept()


def test_a_version_is_pinned_while_anybody_refers_to_it(home: Home) -> None:
    held = home.process().open(1)
    index = LiveIndex(home.process(), FixedPermissions(PERMISSIONS), lambda: NOW)
    view = index.view(DIRECTORY.audience(["public"], NOW))
    home.put("open/9.md")
    assert home.store.sweep().pinned == (1, 4)
    assert view.lexical(["travel"], 9) and held.known(SOURCE).keys() == {"open/0.md"}
    del view, index, held
    assert home.store.sweep().retired == (1, 4)


def test_a_process_that_is_killed_pins_nothing_any_more(home: Home) -> None:
    ready, told = os.pipe()

    def hold() -> None:
        held = home.process().open(2)
        os.write(told, b"1" if held else b"0")
        time.sleep(60)

    child = fork(hold)
    os.read(ready, 1)
    assert home.store.sweep().pinned == (2,)
    assert kill(child)
    assert home.store.sweep().retired == (2,)


def test_a_publish_pins_its_base_and_keeps_sweeps_away(home: Home) -> None:
    base = home.process().open_current()
    assert base is not None
    home.put("open/8.md")
    assert home.store.sweep().pinned == (4,)
    with publishing(home.path):
        assert home.store.sweep() == Swept(waiting=True)
    with nobody_publishes(home.path) as alone, nobody_publishes(home.path) as also:
        assert alone and not also
    record = make_record(SOURCE, "open/7.md", [("Rules", ("late",))])
    done = publish(home.process(), home.vectors, [record], base=base)
    assert home.store.verify(done.version) == []


def test_who_opens_what_was_just_swept_looks_at_the_pointer_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pointer is read, the version is replaced and swept, and only then opened."""
    reader, current = home.process(), home.ledger.versions.current
    first = []

    def late() -> int | None:
        number = current()
        if not first:
            first.append(number)
            home.put("open/new.md")
            assert 4 in home.store.sweep().retired
        return number

    monkeypatch.setattr(home.ledger.versions, "current", late)
    version = reader.open_current()
    assert version is not None and (first, version.number) == ([4], 5)


def test_a_manifest_that_goes_between_opening_and_locking_is_noticed(home: Home, tmp_path: Path) -> None:
    folder = home.path / "versions" / "1"
    with unpinned(folder) as free:
        assert free
        (folder / "manifest.json").unlink()                 # the process dies here
    with pytest.raises(NotFound):
        pin_version(folder)
    with pytest.raises(NotFound):
        pin_version(tmp_path / "7")
    assert 1 in home.store.sweep().retired


def test_a_damaged_manifest_stops_the_sweep_before_anything_is_deleted(home: Home) -> None:
    place = home.path / "versions" / "4" / "manifest.json"
    sound = place.read_bytes()
    stray = home.path / "segments" / ("f" * 32)
    stray.mkdir()
    for harm in (lambda: place.write_bytes(sound[:-9]), place.unlink):
        before = sorted(home.path.rglob("*"))
        harm()
        with pytest.raises(Damaged, match="nothing was swept"):
            home.store.sweep()
        assert {*before} - {*home.path.rglob("*")} <= {place}
        place.write_bytes(sound)
    assert "segments/" + "f" * 32 in home.store.sweep().deleted


def test_a_damaged_version_that_is_old_goes(home: Home) -> None:
    (home.path / "versions" / "1" / "manifest.json").write_bytes(b"{}")
    assert home.store.sweep().retired == (1, 2, 3)


def test_folders_of_others_and_versions_the_ledger_does_not_know_stay(home: Home) -> None:
    foreign = [home.path / "segments" / "notes", home.path / "versions" / "old", home.path / "parts" / "x.txt"]
    for folder in foreign:
        folder.mkdir()
    aside = Home(home.path / "aside")
    aside.put("open/a.md")
    for kind in ("segments", "parts"):                      # a version from before the ledger was restored
        for folder in (aside.path / kind).iterdir():
            folder.rename(home.path / kind / folder.name)
    manifest = aside.store.manifest(1).model_copy(update={"version": 99})
    aside.ledger.close()
    home.store._files.write_manifest(manifest)
    home.store.sweep()
    assert all(folder.is_dir() for folder in foreign) and home.store.verify(99) == []


def test_a_home_that_may_only_be_read_is_read_and_pinned(home: Home) -> None:
    places = [home.path, *home.path.rglob("*")]
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)

    def look() -> None:
        if os.getuid() == 0:
            os.setuid(65534)                                # root may write anywhere, so somebody else looks
        versions = home.store.versions
        versions.rows, versions.current = (lambda: []), (lambda: 4)     # type: ignore[method-assign]
        with unpinned(home.path / "versions" / "4") as before:
            assert before
        version = IndexStore(home.path, versions, ANALYSER, 8.0).open(4)
        with unpinned(home.path / "versions" / "4") as free:
            assert not free and len(version.known(SOURCE)) == 4
            os._exit(7)

    status = ended(fork(look))
    for place in places:
        place.chmod(0o755 if place.is_dir() else 0o644)
    assert status == 7
