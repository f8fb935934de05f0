"""Searches on a real Elasticsearch beside everybody who publishes, turns the rules, labels anew and sweeps."""

import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from homes.elastic_scene import OPEN, TEAM, TERMS, assert_alike
from running.soak_table import Figures
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import (
    ANALYSER,
    AUDIENCES,
    DIRECTORY,
    NOW,
    PERMISSIONS,
    REFERENCE_LENGTH,
    RULES,
    SOURCE,
    Engines,
    publish,
)

from indexers.elastic.server.client import ServerDown
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore, Keep
from indexers.search.engines import LexicalIndex
from vouch.access import Permissions, Rule, RuleBook

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]


@pytest.mark.parametrize("seconds", [3, pytest.param(90, marks=pytest.mark.soak)])
def test_searches_beside_publishes_rules_and_sweeps_are_right(
    engines: Engines, home: Path, seconds: int, figures: Figures
) -> None:
    """Every view is asked of both engines, while others publish, turn the rules, label anew and sweep."""
    number = random.SystemRandom().randrange(10**6)
    versions, held = MemoryVersions(), FixedPermissions(PERMISSIONS)
    store = IndexStore(home, versions, ANALYSER, REFERENCE_LENGTH, Keep(3, 0), engines(home, held))
    index, vectors = LiveIndex(store, held, lambda: NOW), MemoryVectors(HashEncoder())
    publish(store, vectors, [OPEN.record, TEAM.record])
    stop, failed = threading.Event(), []
    counts: Counter[str] = Counter()

    def until_stopped(name: str, work: Callable[[random.Random], None]) -> threading.Thread:
        def run() -> None:
            rng = random.Random(f"{number} {name}")
            while not stop.is_set():
                try:
                    work(rng)
                    counts[name.split()[0]] += 1
                except BaseException as error:
                    failed.append(error)
                    stop.set()
        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def write(rng: random.Random) -> None:
        old = [h.path for h in store.open_current().headers if rng.random() < 0.1]
        paper = replace(OPEN, path=f"{rng.choice(('open', 'team', 'people'))}/{rng.randrange(30)}.md")
        publish(store, vectors, [paper.record], removed=[path for path in old if path != paper.path])

    def rule(rng: random.Random) -> None:
        more = [Rule(f"{rng.choice(('open', 'team', '*'))}/{rng.randrange(4)}*", frozenset({rng.choice(
            ("public", "group:people", "group:staff"))})) for _ in range(rng.randrange(4))]
        held.held = Permissions.settled(held.held.epoch + 1, {SOURCE: RuleBook((*RULES.rules, *more))}, DIRECTORY)
        stop.wait(0.3 * rng.random())

    def search(rng: random.Random) -> None:
        view = index.view(DIRECTORY.audience(rng.choice(AUDIENCES), NOW))
        terms = rng.sample(TERMS, rng.randrange(1, 4))
        try:
            found = view.lexical(terms, 1000)
        except ServerDown:                                    # labels changed twenty times under this one search
            counts["given up"] += 1
            return
        assert_alike(found, LexicalIndex(view._version).search(terms, view._rows, 1000))

    def sweep(rng: random.Random) -> None:
        stop.wait(0.5)
        store.sweep()

    threads = [until_stopped("search one", search), until_stopped("search two", search), until_stopped("write", write),
               until_stopped("rule", rule), until_stopped("sweep", sweep)]
    stop.wait(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    store.lexical.wait()                                # type: ignore[attr-defined]
    figures("searches on Elasticsearch beside publishes, changes of rules and sweeps", f"{seconds} s, seed {number}",
            ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) + f"; {len(failed)} wrong")
    assert failed == [] and counts["search"] > seconds and counts["write"] > 2
    assert counts["given up"] < counts["search"] / 10
