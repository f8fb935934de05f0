"""Elasticsearch killed with SIGKILL at random moments of an ingest: that run ends well, or the next one does."""

import contextlib
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.servers.elastic_whole import assert_whole
from homes.ingest_bench import Bench
from running.soak_table import Figures
from servers.elastic import Elasticsearch
from two_world.elastic import engines_at
from two_world.stand_ins import FixedPermissions
from two_world.worlds import ANALYSER, DIRECTORY, NOW, PUBLIC, REFERENCE_LENGTH

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from vouch.access import Permissions, Rule, RuleBook
from vouch.errors import IndexDown

pytestmark = pytest.mark.services
TERMS = ANALYSER.terms("travel budget")
HELD = FixedPermissions(Permissions.settled(1, {"docs": RuleBook((Rule("**", frozenset({"public"})),))}, DIRECTORY))
PARTS, DOCUMENTS = 30, 20


def write(path: Path, rng: random.Random) -> None:
    words = [f"word{rng.randrange(1000)}" for _ in range(PARTS)]
    path.write_text("# Rules\n\n" + "\n\n".join(f"## Part {n}\n\ntravel budget {word}" for n, word in enumerate(words)))


class Scene:
    """A folder that is ingested into Elasticsearch again and again, each time with other documents in it."""

    def __init__(self, place: Path, server: Elasticsearch, rng: random.Random) -> None:
        self.server, self.rng, self.docs = server, rng, place / "docs"
        self.docs.mkdir()
        self.bench = Bench(place / "home")
        self.bench.folder("docs", self.docs)
        self.patience(0.3)
        for number in range(DOCUMENTS):
            write(self.docs / f"{number}.md", rng)
        self.bench.ingest()

    def patience(self, seconds: float) -> None:
        """From now on a run waits so long for a server that is away."""
        engines = engines_at(self.server.url, patience_seconds=seconds)
        self.bench.lexical = engines(self.bench.home, HELD)

    def edit(self) -> None:
        for path in self.rng.sample(sorted(self.docs.iterdir()), 5):
            write(path, self.rng)
        self.rng.choice(sorted(self.docs.iterdir())).unlink()
        for _ in range(6):
            write(self.docs / f"{self.rng.randrange(10**9)}.md", self.rng)

    def check(self) -> int:
        """Everything in the folder is found, as the segments have it, and nothing else; how many rows."""
        known = self.bench.known("docs")
        assert set(known) == {path.name for path in self.docs.iterdir()}
        store = IndexStore(self.bench.home, self.bench.ledger.versions, ANALYSER, REFERENCE_LENGTH,
                           lexical=self.bench.lexical)
        index = LiveIndex(store, HELD, lambda: NOW)
        assert len(index.version().rows.ids) >= PARTS * len(known)
        return assert_whole(store, index, self.bench.home, PUBLIC, TERMS)

    @contextlib.contextmanager
    def killed_after(self, seconds: float) -> Iterator[list[float]]:
        """The server is killed meanwhile, and serves again at the end; when it was, since then."""
        begun, struck = time.monotonic(), []

        def kill() -> None:
            time.sleep(seconds)
            struck.append(time.monotonic() - begun)
            self.server.stop(kill=True)
            self.server.start()

        killing = threading.Thread(target=kill)
        killing.start()
        try:
            yield struck
        finally:
            killing.join()


def through_kills(scene: Scene, kills: int) -> tuple[int, int]:
    """How many runs were cut short and done by the next one, and how many ended well themselves."""
    scene.edit()
    begun = time.monotonic()
    scene.bench.ingest()
    long = time.monotonic() - begun
    cut = 0
    for _ in range(kills):
        patient = scene.rng.random() < 0.5
        scene.patience(180.0 if patient else 0.3)
        scene.edit()
        before = scene.bench.ledger.versions.current()
        with scene.killed_after(scene.rng.uniform(0.1, 1.0) * long) as struck:
            try:
                scene.bench.ingest()
            except IndexDown:
                assert struck and not patient
                assert scene.bench.ledger.versions.current() == before
                cut += 1
        scene.bench.ingest()
        scene.check()
    return cut, kills - cut


def test_an_ingest_whose_server_is_killed_is_finished_by_it_or_by_the_next(
    elasticsearch_server: Elasticsearch, tmp_path: Path
) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    scene = Scene(tmp_path, elasticsearch_server, random.Random(seed))
    assert scene.check() == DOCUMENTS * PARTS
    through_kills(scene, 1)


@pytest.mark.soak
def test_many_kills(elasticsearch_server: Elasticsearch, tmp_path: Path, figures: Figures) -> None:
    seed = random.randrange(2**32)
    scene = Scene(tmp_path, elasticsearch_server, random.Random(seed))
    cut, ended = through_kills(scene, 12)
    figures("Elasticsearch killed at a random moment of an ingest", f"12 kills, seed {seed}",
            f"{ended} runs ended well, {cut} were finished by the next; every version whole, no orphan left")
    assert cut and ended
