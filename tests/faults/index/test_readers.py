"""Readers beside a publisher: whatever they see is all of one version."""

import os
from pathlib import Path

import pytest
from faults.index.publish_scene import Scene, open_scene
from running.forked import fork
from running.soak_table import Figures
from two_world.stand_ins import MemoryVectors
from two_world.worlds import DIRECTORY, NOW, Paper, publish

from indexers.search.view import LiveView
from vouch.errors import Denied

READER = DIRECTORY.audience(["public"], NOW)
PAPERS = 8


def write_round(scene: Scene, vectors: MemoryVectors, number: int) -> None:
    """A version in which every document says the same number."""
    papers = [Paper(f"open/{n}.md", (("Rules", (f"travel budget{n} round{number}",)),)) for n in range(PAPERS)]
    publish(scene.world.store, vectors, [paper.record for paper in papers])


def rounds_seen(view: LiveView, later: LiveView) -> set[str]:
    """The numbers that the documents found in `view` say; `later` brings their words."""
    hits = view.lexical(["travel"], 100)
    return {passage.text.split()[-1] for passage in later.passages([hit.chunk_id for hit in hits])}


def read_beside(home: Path, publishes: int, reads: int) -> tuple[int, int, int]:
    """(reads, mixed reads, versions seen) of this process while a child publishes."""
    first = open_scene(home)
    write_round(first, MemoryVectors(first.world.encoder), 0)
    first.close()

    def write() -> None:
        scene = open_scene(home)
        vectors = MemoryVectors(scene.world.encoder)
        for number in range(1, publishes + 1):
            write_round(scene, vectors, number)

    child = fork(write)
    scene = open_scene(home)
    done, mixed, versions = 0, 0, set()
    alive = True
    while alive or done < reads:
        view = scene.world.index.view(READER)
        seen = rounds_seen(view, view)
        mixed += len(seen) != 1
        versions.add(view.version)
        done += 1
        alive = alive and not os.waitpid(child, os.WNOHANG)[0]
    scene.close()
    return done, mixed, len(versions)


@pytest.mark.parametrize(("publishes", "reads"), [
    (30, 300), pytest.param(200, 10_000, marks=pytest.mark.soak),
])
def test_no_read_mixes_two_versions(memory_folder: Path, publishes: int, reads: int, figures: Figures) -> None:
    done, mixed, versions = read_beside(memory_folder, publishes, reads)
    figures("reads beside publishes", f"{done:,} reads, {publishes} publishes",
            f"{mixed} mixed, {versions} versions seen")
    assert mixed == 0 and versions > 3


def test_a_mixed_version_would_be_seen_and_a_reader_between_two_is_refused(memory_folder: Path) -> None:
    """Planted: a version half of one round, half of the next; and hits of one version looked up in another."""
    scene = open_scene(memory_folder)
    vectors = MemoryVectors(scene.world.encoder)
    write_round(scene, vectors, 0)
    view = scene.world.index.view(READER)
    half = [Paper(f"open/{n}.md", (("Rules", (f"travel budget{n} round1",)),)) for n in range(PAPERS // 2)]
    publish(scene.world.store, vectors, [paper.record for paper in half])
    now = scene.world.index.view(READER)
    assert rounds_seen(view, view) == {"round0"} and rounds_seen(now, now) == {"round0", "round1"}
    with pytest.raises(Denied, match="ask again"):
        rounds_seen(view, now)
    scene.close()
