"""A large index on a real Elasticsearch: equal questions have equal answers, however busy the server is."""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from running.soak_table import Figures
from servers.elastic import Elasticsearch

from indexers.elastic.search import _ONE_THREAD
from indexers.elastic.server.client import ElasticOptions
from indexers.elastic.server.mapping import index_body
from indexers.elastic.server.server import ElasticServer

pytestmark = [pytest.mark.services, pytest.mark.soak]
ROWS, WORDS, THREADS, ROUNDS = 240_000, 300, 4, 400
TERMS = [f"w{n}" for n in range(8)]
Lists = Counter[tuple[tuple[str, float], ...]]


@pytest.fixture
def server(elasticsearch_server: Elasticsearch) -> ElasticServer:
    return ElasticServer(ElasticOptions(elasticsearch_server.url, timeout_seconds=60.0, bulk_rows=5_000))


@pytest.fixture
def index(server: ElasticServer) -> Iterator[str]:
    name, rng = f"threads-{time.time_ns()}", random.Random(5)
    server.make_index(name, index_body(9.0, 1))
    for start in range(0, ROWS, ROWS // 6):             # several segments, as threads share them out
        server.write(name, ((f"s:{row}", {
            "home": "h", "segment": "s", "row": row, "label": "all", "turn": 1,
            "terms": " ".join(f"w{int(WORDS * rng.random() ** 2)}" for _ in range(rng.randrange(4, 30))),
        }) for row in range(start, start + ROWS // 6)))
        server.refresh(name)
    yield name
    server._client.indices.delete(index=name)


def answers(server: ElasticServer, index: str, **more: Any) -> Lists:
    """What the same question is answered when several ask it again and again."""
    clauses = [{"term": {"terms": {"value": term, "boost": 1.0 + n / 10}}} for n, term in enumerate(TERMS)]
    query = {"bool": {"filter": [{"term": {"label": "all"}}], "should": clauses, "minimum_should_match": 1}}
    found: Lists = Counter()

    def ask() -> None:
        for _ in range(ROUNDS // THREADS):
            hits = server.search(index, {"query": query, "size": 100, "source": False, **more})["hits"]["hits"]
            found[tuple((hit["_id"], hit["_score"]) for hit in hits)] += 1

    threads = [threading.Thread(target=ask) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_question_has_one_answer(server: ElasticServer, index: str, figures: Figures) -> None:
    """Without what keeps a search in one thread, the planted bug, the same question gets several answers."""
    kept, free = answers(server, index, aggs=_ONE_THREAD), answers(server, index)
    odd = free.total() - max(free.values())
    figures("the same question to a large index of Elasticsearch", f"{ROUNDS} times, {ROWS:,} rows",
            f"{len(kept)} answer; {odd} odd ones where it may score in several threads")
    assert kept.total() == free.total() == ROUNDS and len(kept) == 1
    assert odd and max(free, key=free.__getitem__) in kept
