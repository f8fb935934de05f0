"""Kills, full disks and damaged files: the old version stays whole, and nothing damaged is served."""

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from running.script_run import run_script
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, DIRECTORY, NOW, PERMISSIONS, SOURCE, make_record, publish

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from vouch.errors import Conflict, Damaged, LedgerDown, Unavailable

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
TELL_WHO_MAY_READ = ("manifest.json", "documents.json", "chunk_serials.i8")


def test_a_publish_killed_at_any_step_leaves_a_whole_version(tmp_path: Path) -> None:
    [told] = run_script(Path(__file__).with_name("kill_publish.py"), tmp_path, timeout_s=120)
    assert told["differ"]
    assert [step["problems"] for step in told["steps"]] == [[]] * len(told["steps"])
    currents = [step["current"] for step in told["steps"]]
    assert currents == sorted(currents) and currents.count(3) == 2 and len(currents) > 15


class Home:
    def __init__(self, path: Path, versions: MemoryVersions | None = None) -> None:
        self.path = path
        self.versions = versions or MemoryVersions()
        self.store = IndexStore(path, self.versions, ANALYSER, 8.0)
        self.vectors = MemoryVectors(HashEncoder())

    def put(self, path: str, *passages: str) -> int:
        done = publish(self.store, self.vectors, [make_record(SOURCE, path, [("Rules", passages)])])
        return int(done.version)

    def anew(self) -> "Home":
        """The same home as another process finds it."""
        return Home(self.path, self.versions)

    def served(self) -> tuple[int, set[str]]:
        index = LiveIndex(self.store, FixedPermissions(PERMISSIONS), lambda: NOW)
        view = index.view(DIRECTORY.audience(["public"], NOW))
        hits = view.lexical(["travel", "leav"], 10) + view.dense(self.vectors._encoder.questions(["travel"])[0], 10)
        return view.version, {p.path for p in view.passages([h.chunk_id for h in hits])}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.put("open/a.md", *(f"travel {n}" for n in range(8)))
    home.put("open/b.md", "leave")
    return home


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), OSError(5, "Input/output error")])
def test_a_disk_that_fails_at_any_step_publishes_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    sync = os.fsync
    for step in range(1, 100):
        left = step

        def failing(handle: int) -> None:
            nonlocal left
            left -= 1
            if not left:
                raise error
            sync(handle)

        monkeypatch.setattr(os, "fsync", failing)
        try:
            home.put("open/c.md", "travel new")
            break
        except Unavailable as told:
            assert "cannot write" in str(told)
        assert home.versions.current() == 2 and home.anew().served() == (2, {"open/a.md", "open/b.md"})
        assert home.versions.rows()[-1].state == "abandoned"
    assert step > 15 and home.anew().served()[1] == {"open/a.md", "open/b.md", "open/c.md"}


def files_of_current_alone(home: Home) -> list[Path]:
    """Files that the current version needs and its parent does not."""
    def files(number: int) -> set[Path]:
        manifest = home.store.manifest(number)
        kinds = (("segments", manifest.segments), ("parts", manifest.parts))
        folders = [(home.path / kind / entry.id, entry) for kind, entries in kinds for entry in entries]
        found = {folder / file.name for folder, entry in folders for file in entry.files}
        return found | {home.path / "versions" / str(number) / "manifest.json"}

    return sorted(files(2) - files(1))


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-2])


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("harm", [truncated, flipped, Path.unlink])
def test_damage_to_any_file_is_refused_and_the_parent_served(
    home: Home, harm: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    files = files_of_current_alone(home)
    assert len(files) >= 12
    for path in files:
        sound = path.read_bytes()
        if not sound:
            continue
        harm(path)
        caplog.clear()
        with caplog.at_level(logging.ERROR, "vouch.indexers"):
            if path.name in TELL_WHO_MAY_READ:
                with pytest.raises(Damaged, match="of no document can be told who may read it"):
                    home.anew().served()
            else:
                assert home.anew().served() == (1, {"open/a.md"})
        assert "version 2 is damaged" in caplog.text and "vouch ingest makes a sound one" in caplog.text
        if path.name != "manifest.json":
            with pytest.raises(Damaged):
                home.anew().store.open(2)
            assert path.name in " ".join(home.store.verify(2))
            with pytest.raises(Damaged):
                home.store.open(2)                          # also where it had been found sound before
        path.write_bytes(sound)
        assert home.store.open(2).number == 2
    assert home.anew().served() == (2, {"open/a.md", "open/b.md"})


def test_after_damage_a_publish_or_a_rollback_mends(home: Home) -> None:
    flipped(files_of_current_alone(home)[-2])
    other = home.anew()
    assert other.put("open/c.md", "travel more") == 3
    assert other.served() == (3, {"open/a.md", "open/c.md"})
    assert other.store.manifest(3).parent == 2
    assert home.anew().store.rollback(1) == 4
    assert home.anew().served() == (4, {"open/a.md"})


def test_without_any_sound_version_nothing_is_served(home: Home) -> None:
    for path in (home.path / "segments").rglob("terms.bin"):
        flipped(path)
    with pytest.raises(Damaged, match="no earlier one is sound"):
        home.anew().served()


def test_documents_alone_can_be_read_while_segments_are_damaged(home: Home) -> None:
    for path in (home.path / "segments").rglob("vectors.faiss"):
        flipped(path)
    version = home.anew().store.open_current(documents_only=True)
    assert version is not None and version.known(SOURCE).keys() == {"open/a.md", "open/b.md"}


def test_a_manifest_that_was_edited_is_damaged(home: Home) -> None:
    path = home.path / "versions" / "2" / "manifest.json"
    path.write_text(path.read_text().replace('"at": 0', '"at": 7'))
    assert home.store.verify(2) and home.anew().store.open_current().number == 1


def test_a_swap_whose_answer_got_lost_is_not_undone(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    swap = home.versions.swap

    def lost(expected: int | None, new: int) -> None:
        swap(expected, new)
        raise LedgerDown("connection lost")

    monkeypatch.setattr(home.versions, "swap", lost)
    assert home.put("open/c.md", "travel") == 3
    assert home.versions.current() == 3 and home.anew().served()[0] == 3

    def refused(expected: int | None, new: int) -> None:
        raise LedgerDown("connection refused")

    monkeypatch.setattr(home.versions, "swap", refused)
    with pytest.raises(LedgerDown):
        home.put("open/d.md", "travel")
    assert home.versions.current() == 3 and home.versions.rows()[-1].state == "building"
    monkeypatch.setattr(home.versions, "swap", swap)
    with pytest.raises(Conflict):
        home.versions.swap(2, 4)


def test_reading_documents_imports_no_engine(home: Home) -> None:
    program = f"""
import sys
from pathlib import Path
from indexers.versions.files import IndexFiles
from indexers.publishing.index_store import IndexStore
files = IndexFiles(Path({str(home.path)!r}))
version = files.open(files.manifest(2))
version.check()
assert version.known({SOURCE!r}) and version.record({SOURCE!r}, "open/a.md")
assert not {{"faiss", "torch", "prefect"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
