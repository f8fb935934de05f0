"""A thousand damaged versions: none is served. The newest sound one is, loudly, bit for bit as it always was."""

import json
import logging
import os
import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from faults.index.damage import KINDS, Ruin, Scene
from running.soak_table import Figures
from two_world.worlds import World

from indexers.storage import Checksums, Folder
from vouch.documents.manifest import Manifest
from vouch.errors import Damaged, NotFound

SEED, SHORT, LONG = 20261121, 120, 1000


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("damage") / "home")


def wrong(scene: Scene, ruin: Ruin, log: pytest.LogCaptureFixture, world: World | None = None) -> list[str]:
    """What does not hold while the home is damaged like that, of a new process or of the one that has `world` open."""
    log.clear()
    expected, current = scene.expected(ruin), scene.current
    world = world or scene.reopened()
    try:
        served, seen = world.index.version().number, scene.seen(world)
    except Damaged as error:
        return [] if expected is None else [f"version {expected} is sound and not served: {error}"]
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    problems = [] if served == expected else [f"version {served} is served, {expected} is the newest sound one"]
    if seen != scene.truth.get(served) and not scene.hides(ruin, served):
        problems.append(f"version {served} is not what it was")
    if served != current:
        problems += _quiet(log, served, current)
    return problems + _unnamed(scene, ruin, world)


def _quiet(log: pytest.LogCaptureFixture, served: int, current: int) -> list[str]:
    told = [r.getMessage() for r in log.records if r.levelno >= logging.ERROR]
    wanted = (f"version {current} is damaged: ", f"version {served} is served in place of {current}")
    return [f"the log does not say: {line}" for line in wanted if not any(t.startswith(line) for t in told)]


def _unnamed(scene: Scene, ruin: Ruin, world: Any) -> list[str]:
    """Damaged files of the current version that `vouch versions verify` does not name."""
    broken = scene.broken(ruin, scene.current)
    try:
        told = world.store.verify(scene.current)
    except NotFound as error:
        told = [str(error)]
    if broken and broken[0].name == "manifest.json":        # without it nobody knows the others
        return [] if told and "manifest" in told[0] else ["the manifest is not named"]
    unnamed = [path for path in broken if not any(str(path) in line for line in told)]
    return [f"{path} is not named" for path in unnamed] + ([] if broken or not told else [f"a sound one: {told}"])


def strike(scene: Scene, count: int, log: pytest.LogCaptureFixture) -> tuple[list[str], Counter[str]]:
    """All that went wrong in `count` rounds, and how often each thing happened."""
    dice, problems, tally = random.Random(SEED), [], Counter[str]()
    log.set_level(logging.ERROR)
    for n in range(count):
        ruin = scene.draw(dice)
        with scene.struck(ruin):
            found = wrong(scene, ruin, log)
        problems += [f"round {n}, {ruin.kinds} at {[p.name for p in ruin.files]}: {problem}" for problem in found]
        tally.update(ruin.kinds)
        tally[f"served {scene.expected(ruin)} of {scene.current}"] += 1
    return problems, tally


def check(scene: Scene, count: int, log: pytest.LogCaptureFixture, figures: Figures) -> None:
    problems, tally = strike(scene, count, log)
    earlier = sum(tally[f"served {n} of {scene.current}"] for n in range(1, scene.current))
    figures("a version damaged, then opened by a new process", f"{count} times, seed {SEED}",
            f"{len(problems)} served damaged or not told; an earlier sound one served {earlier} times")
    print(dict(sorted(tally.items())))
    assert problems == []
    assert {kind.__name__.strip("_") for kind in KINDS} <= set(tally)
    assert earlier > count / 3
    assert tally[f"served None of {scene.current}"] and tally[f"served {scene.current} of {scene.current}"] < count / 10
    assert scene.seen(scene.reopened()) == scene.truth[scene.current]       # all was put back


def test_no_damaged_version_is_served(scene: Scene, caplog: pytest.LogCaptureFixture, figures: Figures) -> None:
    check(scene, SHORT, caplog, figures)


@pytest.mark.soak
def test_none_of_a_thousand_damaged_versions_is_served(
    scene: Scene, caplog: pytest.LogCaptureFixture, figures: Figures
) -> None:
    check(scene, LONG, caplog, figures)


def size_only(path: Path, entry: Any, state: Any) -> None:
    """The planted bug: a file of the right length is believed."""
    if state.st_size != entry.size:
        raise Damaged(f"{path} has another size")


def test_checksums_that_look_at_sizes_alone_are_found(
    scene: Scene, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Checksums, "_compare", staticmethod(size_only))
    problems, _ = strike(scene, 40, caplog)
    assert any("is served" in problem for problem in problems) and any("is not named" in p for p in problems)


class Late(Folder):
    """The planted bug: a file is read first and compared afterwards, when its content is already in use."""

    def file(self, name: str) -> Path:
        return self.path / name

    def check(self) -> None:
        pass


def test_checksums_that_are_compared_after_reading_are_found(
    scene: Scene, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexers.versions.files.Folder", Late)
    problems, _ = strike(scene, 40, caplog)
    assert any("is served" in p or "Error" in p for p in problems)


def unsealed(data: bytes, name: str) -> Manifest:
    """The planted bug: the manifest's own digest is not compared."""
    return Manifest.model_validate(json.loads(data)["manifest"])


def test_a_manifest_that_is_believed_as_it_stands_is_found(
    scene: Scene, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = scene.of_version[scene.current][0]
    changed = scene.files[manifest].replace(b'"at": 4', b'"at": 3')
    assert changed != scene.files[manifest]
    ruin = Ruin(("by hand",), {manifest: changed})
    with scene.struck(ruin):
        assert wrong(scene, ruin, caplog) == []
        monkeypatch.setattr("indexers.versions.files.unseal", unsealed)
        assert any("is served" in problem for problem in wrong(scene, ruin, caplog))


@pytest.fixture
def reader(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> World:
    """The home as a process has it open that has answered already, and that looks at its files at every question."""
    monkeypatch.setattr("indexers.live_index._LOOK", timedelta(0))
    world = scene.reopened()
    assert scene.seen(world) == scene.truth[scene.current]
    return world


def strike_running(
    scene: Scene, reader: World, log: pytest.LogCaptureFixture, *, swapped_in: bool
) -> tuple[list[str], int]:
    """What went wrong in 25 rounds under a running reader, and how often an earlier version stood in.

    In place, only damage of equal length: a mapped file that is cut short
    kills its reader, as the system ends whoever touches what is gone.
    """
    dice, problems, stood_in = random.Random(SEED), [], 0
    log.set_level(logging.ERROR)
    for n in range(25):
        ruin = scene.draw(dice)
        ruin = replace(ruin, files={
            path: data for path, data in ruin.files.items() if path.name != "manifest.json"
            and (swapped_in or (data is not None and len(data) == len(scene.files[path])))
        })
        with scene.struck(ruin, swapped_in=swapped_in):
            problems += [f"round {n}: {problem}" for problem in wrong(scene, ruin, log, reader)]
            stood_in += bool(scene.broken(ruin, scene.current))
        reader.index._served = None     # as after half a minute: what was restored is found again
        reader.store._opener._found = None      # what a version said while it could be read, it said: begin anew
        problems += [] if scene.seen(reader) == scene.truth[scene.current] else [f"round {n}: not served again"]
    return problems, stood_in


@pytest.mark.parametrize("swapped_in", [False, True], ids=["in place", "swapped in"])
def test_files_that_change_under_a_running_reader_are_not_served(
    scene: Scene, reader: World, caplog: pytest.LogCaptureFixture, swapped_in: bool
) -> None:
    problems, stood_in = strike_running(scene, reader, caplog, swapped_in=swapped_in)
    assert problems == [] and stood_in > 8


def test_a_reader_that_never_looks_again_is_found(
    scene: Scene, reader: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted bug: what was sound once is believed for ever."""
    monkeypatch.setattr("indexers.live_index._LOOK", timedelta(days=1))
    problems, _ = strike_running(scene, reader, caplog, swapped_in=False)
    assert any("is not what it was" in problem or "Error" in problem for problem in problems)


def test_a_changed_file_with_its_old_time_is_seen(scene: Scene, reader: World) -> None:
    earlier = scene.of_version[scene.current - 1]
    path = next(p for p in scene.of_version[scene.current] if p.name == "texts.bin" and p not in earlier)
    before, data = path.stat(), bytearray(scene.files[path])
    data[0] ^= 1
    with scene.struck(Ruin(("by hand",), {path: bytes(data)})):
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_mtime_ns == before.st_mtime_ns
        assert reader.index.version().number < scene.current
