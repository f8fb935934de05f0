"""What every Watch promises: the whole first, then what changes, and the whole again when a place has been away."""

import json
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pytest
from homes.git_repo import GitRepo

from vouch.adapters.sources.events.file import file_state
from vouch.adapters.sources.git.repository import GitRepository
from vouch.adapters.sources.watch import FolderWatch, PolledWatch
from vouch.ports.ingestion import Watch

pytestmark = pytest.mark.integration

Paths = Sequence[str] | None
SOON_S = 8.0


class Place(Protocol):
    """Somewhere documents are kept; `names` says whether its watch can tell which of them changed."""

    path: Path
    names: bool

    def watch(self, tell: Callable[[str], None]) -> Watch: ...

    def write(self, path: str, text: str) -> None: ...

    def remove(self, path: str) -> None: ...


class FolderPlace:
    names = True
    poll = False

    def __init__(self, root: Path) -> None:
        self.path = root / "docs"
        self.path.mkdir()

    def watch(self, tell: Callable[[str], None]) -> Watch:
        return FolderWatch(self.path, tell, poll=self.poll)

    def write(self, path: str, text: str) -> None:
        (self.path / path).parent.mkdir(parents=True, exist_ok=True)
        (self.path / path).write_text(text)

    def remove(self, path: str) -> None:
        (self.path / path).unlink()


class PolledFolderPlace(FolderPlace):
    poll = True


class GitPlace:
    names = False

    def __init__(self, root: Path) -> None:
        self._repo = GitRepo(root / "repo")
        self.path = self._repo.path
        self._files: dict[str, bytes] = {}

    def watch(self, tell: Callable[[str], None]) -> Watch:
        repository = GitRepository(self.path)
        return PolledWatch(lambda: repository.tip("main"), tell, every_s=0.1)

    def write(self, path: str, text: str) -> None:
        self._files[path] = text.encode()
        self._repo.commit(self._files)

    def remove(self, path: str) -> None:
        del self._files[path]
        self._repo.commit(self._files)


class EventsPlace:
    names = False

    def __init__(self, root: Path) -> None:
        self.path = root / "events.jsonl"
        self.path.touch()

    def watch(self, tell: Callable[[str], None]) -> Watch:
        return PolledWatch(lambda: file_state(self.path.stat()), tell, every_s=0.1)

    def write(self, path: str, text: str) -> None:
        self._append({"op": "modify", "path": path, "text": text})

    def remove(self, path: str) -> None:
        self._append({"op": "delete", "path": path})

    def _append(self, event: dict[str, str]) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(event) + "\n")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch.adapters.sources.watch._POLL_MS", 150)
    monkeypatch.setattr("vouch.adapters.sources.watch._LOOK_MS", 150)


@pytest.fixture(
    params=[FolderPlace, PolledFolderPlace, GitPlace, EventsPlace], ids=["folder", "polled folder", "git", "events"]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    made: Place = request.param(tmp_path)
    made.write("a.md", "A")
    made.write("d/b.md", "B")
    return made


class Watching:
    """A watch at work in a thread of its own."""

    def __init__(self, place: Place) -> None:
        self.told: list[str] = []
        self._stop = threading.Event()
        self._seen: queue.Queue[Paths] = queue.Queue()
        self.looks = 0
        watch = place.watch(self.told.append)

        def follow() -> None:
            for paths in watch.changes(self._stop, self._looked):
                self._seen.put(paths)

        self._thread = threading.Thread(target=follow)
        self._thread.start()

    def _looked(self) -> None:
        self.looks += 1

    def looks_on(self) -> bool:
        """Whether it looks again within a few seconds."""
        before, end = self.looks, time.monotonic() + SOON_S
        while self.looks == before and time.monotonic() < end:
            time.sleep(0.05)
        return self.looks > before

    def next(self, seconds: float = SOON_S) -> Paths:
        return self._seen.get(timeout=seconds)

    def until(self, wanted: str) -> set[str]:
        """Everything told until `wanted` is among it; a whole source is everything."""
        seen: set[str] = set()
        while wanted not in seen:
            paths = self.next()
            seen |= {wanted} if paths is None else set(paths)
        return seen

    def quiet(self, seconds: float) -> bool:
        try:
            self.next(seconds)
        except queue.Empty:
            return True
        return False

    def end(self) -> float:
        """How long it takes from `stop` to the end."""
        began = time.monotonic()
        self._stop.set()
        self._thread.join(SOON_S)
        assert not self._thread.is_alive()
        return time.monotonic() - began


@pytest.fixture
def watching(place: Place) -> Iterator[Watching]:
    started = Watching(place)
    yield started
    started.end()


def test_the_whole_comes_first_and_then_what_changes(place: Place, watching: Watching) -> None:
    assert watching.next() is None
    assert watching.quiet(0.3)
    place.write("a.md", "another text")
    assert watching.until("a.md") <= {"a.md"}
    place.remove("d/b.md")
    assert "d/b.md" in watching.until("d/b.md")


def test_it_says_that_it_looks_on_while_nothing_changes(watching: Watching) -> None:
    assert watching.next() is None
    assert watching.looks_on() and watching.looks_on()


def test_a_new_folder_is_told_with_what_is_in_it(place: Place, watching: Watching) -> None:
    assert watching.next() is None
    place.write("new/deep/c.md", "C")
    seen: set[str] = set()
    while not seen & {"new", "new/deep", "new/deep/c.md"}:
        paths = watching.next()
        seen |= {"new"} if paths is None else set(paths)


def test_a_place_that_goes_and_comes_back_is_told_whole(place: Place, watching: Watching) -> None:
    assert watching.next() is None
    aside = place.path.with_name("aside")
    place.path.rename(aside)
    end = time.monotonic() + SOON_S
    while not watching.told and time.monotonic() < end:
        time.sleep(0.05)
    assert any(str(place.path) in line for line in watching.told)
    said = len(watching.told)
    time.sleep(0.4)
    assert len(watching.told) == said, "it says once that it waits"
    assert watching.looks_on()
    aside.rename(place.path)
    while watching.next() is not None:      # the folder's own last words may come first
        pass
    place.write("a.md", "written after it came back")
    watching.until("a.md")


def test_it_ends_soon_after_it_is_told_to(watching: Watching) -> None:
    watching.next()
    assert watching.end() < 3


def test_what_is_no_documents_business_is_not_told(tmp_path: Path) -> None:
    folder = FolderPlace(tmp_path)
    folder.write("d/a.md", "A")
    watching = Watching(folder)
    assert watching.next() is None
    for path in (".git/x.md", ".a.md.swp", "access.yaml", "picture.png", "d/.hidden/x.md"):
        folder.write(path, "x")
    os.utime(folder.path / "d")
    assert watching.quiet(0.7)
    (folder.path / "d").rename(folder.path / "e")
    assert watching.until("e") >= {"d", "e"}
    watching.end()


def test_very_many_changes_at_once_are_told_as_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch.adapters.sources.watch.MOST_NAMED", 5)
    folder = FolderPlace(tmp_path)
    watching = Watching(folder)
    assert watching.next() is None
    for n in range(50):
        folder.write(f"{n}.md", "x")
    assert watching.next() is None
    watching.end()


def test_a_folder_the_system_will_not_watch_is_looked_at_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*paths: Path, **rest: object) -> Iterator[object]:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr("watchfiles.watch", full)
    folder = FolderPlace(tmp_path)
    watching = Watching(folder)
    assert watching.next() is None
    assert any("limit reached" in line for line in watching.told)
    folder.write("a.md", "A")
    assert watching.until("a.md") == {"a.md"}
    watching.end()
