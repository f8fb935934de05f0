"""One corpus, searched by words on the Elasticsearch of VOUCH_LEXICAL__URL and in the embedded posting lists."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.search.corpus import REFERENCE_LENGTH, Corpus, GroupPermissions, open_store
from indexers.elastic.engine import ElasticEngine, elastic_engine
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from vouch.access import Permissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.values.candidate import Hit


class Held:
    """A PermissionStore that is set by hand."""

    def __init__(self, held: Permissions) -> None:
        self.held = held

    def permissions(self) -> Permissions:
        return self.held


@dataclass(frozen=True)
class BothEngines:
    """Two indices of one version under the same permissions."""

    held: Held
    engine: ElasticEngine
    store: IndexStore                   # served by Elasticsearch
    embedded: LiveIndex
    served: LiveIndex

    def follow(self) -> None:
        """Every label on the server follows the rules afterwards."""
        self.served.follow()
        self.engine.wait()


def both_engines(home: Path, corpus: Corpus) -> BothEngines:
    """Publishes the corpus; on the server, under a name of its own, is nothing before `store.catch_up()`."""
    corpus.publish(home)
    embedded, held = open_store(home), Held(GroupPermissions().permissions())
    engine = elastic_engine(home, SnowballAnalyser(), held, url=os.environ["VOUCH_LEXICAL__URL"],
                            index_prefix=f"bench{time.time_ns()}", timeout_seconds=60.0)
    store = IndexStore(home, embedded.versions, SnowballAnalyser(), REFERENCE_LENGTH, lexical=engine)
    return BothEngines(held, engine, store, LiveIndex(embedded, held), LiveIndex(store, held))


def questions_of(corpus: Corpus, count: int) -> list[list[str]]:
    return [[corpus.names[n] for n in numbers] for numbers in corpus.questions("nine words", count)]


def same_scores(found: Sequence[Hit], wanted: Sequence[Hit]) -> bool:
    """To within 1e-4 of each other."""
    first, second = ([hit.score for hit in hits] for hits in (found, wanted))
    return len(first) == len(second) and np.allclose(first, second, rtol=1e-4, atol=0)


def timed(work: Callable[[], object]) -> float:
    """Seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
