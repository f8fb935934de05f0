"""Random worlds on a real Elasticsearch: what the embedded lists find, and nothing that hidden documents change."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes.elastic_scene import assert_same_views, engine_of
from homes.memory import folder_in_memory
from hypothesis import Phase, given, seed, settings
from running.soak_table import Figures
from servers.elastic import Elasticsearch
from two_world.drawing import ALIKE, world_pairs
from two_world.observing import differences
from two_world.worlds import ANALYSER, AUDIENCES, DIRECTORY, NOW, PERMISSIONS, RULES, SOURCE, Engines, Pair, open_world

from indexers.elastic.engine import ElasticEngine
from indexers.elastic.server.client import ElasticOptions
from indexers.elastic.server.server import ElasticServer
from vouch.access import Permissions, Rule, RuleBook

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]
PAIRS = 50


def agree(pair: Pair, engines: Engines) -> int:
    """Compares both engines for every audience under the rules and after a change of them; how many hits."""
    hits = 0
    with folder_in_memory() as place:
        served = open_world(place / "served", pair.first, engines=engines)
        embedded = open_world(place / "embedded", pair.first)
        turned = Permissions.settled(2, {SOURCE: RuleBook((*RULES.rules, Rule("open/1*", frozenset({"group:people"})),
                                                   Rule("team/**", frozenset({"public"}))))}, DIRECTORY)
        for permissions in (PERMISSIONS, turned):
            for world in (served, embedded):
                world.permissions.held = permissions
            for tags in AUDIENCES:
                audience = DIRECTORY.audience(tags, NOW)
                terms = ANALYSER.terms(f"{pair.question} {pair.question} budget")
                assert_same_views(served.index.view(audience), embedded.index.view(audience), terms)
                hits += len(served.index.view(audience).lexical(terms, 1000))
        engine_of(served).wait()
    return hits


def test_both_engines_agree_on_random_worlds(engines: Engines) -> None:
    hits = []

    @settings(ALIKE, max_examples=6)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        hits.append(agree(pair, engines))

    check()
    assert sum(hits) > 100


def test_hidden_documents_change_nothing(engines: Engines) -> None:
    """Fifty pairs, more than the planted fault below needs to be found; three hundred others in the long form."""
    rivals = []

    @settings(ALIKE, max_examples=PAIRS)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        assert differences(pair, engines=engines) == []
        rivals.append(pair.rival is not None)

    check()
    assert len(rivals) >= PAIRS and np.mean(rivals) >= 0.5


@pytest.mark.soak
def test_hundreds_of_pairs_and_worlds(engines: Engines, figures: Figures) -> None:
    number = random.SystemRandom().randrange(10**6)
    counts: Counter[str] = Counter()

    @seed(number)
    @settings(ALIKE, max_examples=300, derandomize=False)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        assert differences(pair, engines=engines) == []
        counts.update(["pairs", *{type(step).__name__ for step in pair.first + pair.second}])

    @seed(number)
    @settings(ALIKE, max_examples=100, derandomize=False)
    @given(world_pairs())
    def compare(pair: Pair) -> None:
        counts["hits compared"] += agree(pair, engines)
        counts["worlds compared"] += 1

    check()
    compare()
    figures("two worlds on Elasticsearch, one with documents the readers may not see; both engines on one world",
            f"{counts['pairs']} pairs, {counts['worlds compared']} worlds, seed {number}",
            f"0 differences; {counts['hits compared']} hits within 1e-4")
    assert counts["pairs"] >= 300 and counts["worlds compared"] >= 100


class PlainServer(ElasticServer):
    """The planted bug: the same filter, and BM25 as Elasticsearch makes it, with its own statistics."""

    def make_index(self, name: str, body: Any) -> None:
        plain = {"visible_bm25": {"type": "BM25", "k1": 1.2, "b": 0.75}}
        super().make_index(name, {**body, "settings": {**body["settings"], "similarity": plain}})

    def trust(self, name: str, body: Any) -> None:
        """Or the form alone would tell."""

    def search(self, index: str, body: Any) -> dict[str, Any]:
        asked = body["query"].get("bool", {})
        if "size" in body and body["size"] and "should" in asked:
            words = [{"term": {"terms": {**term["term"]["terms"], "boost": 1.0}}} for term in asked["should"]]
            body = {**body, "query": {"bool": {**asked, "should": words}}}
        return super().search(index, body)


def test_plain_bm25_is_found_by_the_same_pairs(elasticsearch_server: Elasticsearch) -> None:
    found: list[str] = []
    server = PlainServer(ElasticOptions(elasticsearch_server.url, index_prefix="plain"))

    def engines(home: Path, permissions: Any) -> ElasticEngine:
        return ElasticEngine(server, home, ANALYSER, permissions)

    @settings(ALIKE, max_examples=40, phases=[Phase.generate])
    @given(world_pairs())
    def check(pair: Pair) -> None:
        if not found:
            found.extend(differences(pair, engines=engines))

    check()
    assert found and all(name.startswith("lexical") for name in found)
