"""What a worker keeps in memory goes when a version is served that a purge made."""

from datetime import UTC, datetime, timedelta

import numpy as np

from consumers.wiring.components import after_purge
from vouch.adapters.ledger import open_ledger
from vouch.adapters.models.scorers.maxsim import MaxSimReranker

AT = datetime(2026, 11, 1, tzinfo=UTC)


class TokenEncoder:
    """Counts the texts it is given."""

    fingerprint = "tokens"

    def __init__(self):
        self.passages = []

    def token_vectors(self, texts, questions=False):
        if not questions:
            self.passages += texts
        return [np.ones((3, 4), np.float32) for _ in texts]


def test_passages_are_forgotten_after_a_purge_and_not_after_an_ingest(tmp_path):
    ledger, encoder = open_ledger(tmp_path / "ledger.sqlite"), TokenEncoder()
    reranker = MaxSimReranker(encoder)
    moved = after_purge(ledger.purges.latest, reranker.forget)
    reranker.scores([("question", "a passage")])
    moved()
    reranker.scores([("question", "a passage")])
    assert encoder.passages == ["a passage"]
    ledger.purges.begin([("docs", "a.md")], ["0" * 64], AT)
    moved()
    assert not reranker._cache and reranker._free > 0
    reranker.scores([("question", "a passage")])
    assert encoder.passages == ["a passage"] * 2
    ledger.purges.begin([("docs", "a.md")], [], AT + timedelta(days=1))
    moved()
    moved()
    reranker.scores([("question", "a passage")])
    assert len(encoder.passages) == 3


def test_forgetting_gives_the_whole_room_back():
    encoder = TokenEncoder()
    reranker = MaxSimReranker(encoder, cache_bytes=100)
    for n in range(9):
        reranker.scores([("q", f"passage {n}")])
    reranker.forget()
    assert reranker._free == 100
