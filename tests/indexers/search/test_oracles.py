"""Both engines against independent ones: rank-bm25 over the visible chunks alone, numpy brute force."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from homes.memory import folder_in_memory
from hypothesis import given, settings
from hypothesis import strategies as st
from learning_scene.ten_groups import TEN_GROUPS, needs_scifact, publish_in_parts, read_scifact, reader_of
from rank_bm25 import BM25Okapi
from two_world.drawing import ANEW, world_pairs
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVersions
from two_world.worlds import (
    ANALYSER,
    NOW,
    PERMISSIONS,
    REFERENCE_LENGTH,
    WORDS,
    Pair,
    hidden,
    make_record,
    open_world,
    written,
)

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from indexers.search.view import LiveView
from vouch.access import Directory, Permissions, Rule, RuleBook
from vouch.documents.chunk import model_input
from vouch.documents.document import DocumentRecord

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]
_SETTINGS = settings(ANEW, max_examples=60)


def lucene_length(length: int) -> int:
    """Lucene's SmallFloat.byte4ToInt(intToByte4(length)), written after its bytes, not after our formula."""
    def encode(n: int) -> int:
        return n if n < 8 else (n >> (n.bit_length() - 4)) & 7 | (n.bit_length() - 3) << 3

    def decode(code: int) -> int:
        return code if code < 8 else ((code & 7) | 8) << ((code >> 3) - 1)

    free = 255 - encode(2**31 - 1)
    return length if length < free else free + decode(encode(length - free))


class Oracle:
    """rank-bm25 over some chunks, with Lucene's idf and lengths and our constant reference length."""

    def __init__(self, texts: dict[str, str], reference: float) -> None:
        self.ids = list(texts)
        corpus = [ANALYSER.terms(text) for text in texts.values()]
        self.engine = BM25Okapi(corpus, k1=1.2, b=0.75) if any(corpus) else None
        if self.engine:
            count = Counter(term for words in corpus for term in set(words))
            self.engine.idf = {t: math.log(1 + (len(corpus) - n + 0.5) / (n + 0.5)) for t, n in count.items()}
            self.engine.doc_len = [lucene_length(len(words)) for words in corpus]
            self.engine.avgdl = reference

    def scores(self, terms: list[str]) -> dict[str, float]:
        scores = self.engine.get_scores(terms) if self.engine else []
        return {one: float(s) for one, s in zip(self.ids, scores, strict=bool(self.engine)) if s > 0}


def inputs(records: list[DocumentRecord]) -> dict[str, str]:
    return {c.id: model_input(c.section, r.text[c.start : c.end]) for r in records for c in r.chunks}


def assert_like_oracle(view: LiveView, oracle: Oracle, terms: list[str]) -> None:
    wanted = oracle.scores(terms)
    hits = view.lexical(terms, len(oracle.ids) + 1)
    assert {h.chunk_id for h in hits} == set(wanted)
    assert [h.score for h in hits] == pytest.approx(sorted(wanted.values(), reverse=True), abs=1e-5)
    assert [wanted[h.chunk_id] for h in hits] == pytest.approx([h.score for h in hits], abs=1e-5)
    assert [(-h.score, h.chunk_id) for h in hits] == sorted((-h.score, h.chunk_id) for h in hits)
    for top in (1, 2, 7):
        assert view.lexical(terms, top) == hits[:top]


@_SETTINGS
@given(world_pairs(), st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join))
def test_lexical_scores_are_those_of_the_visible_chunks_alone(pair: Pair, more: str) -> None:
    with folder_in_memory() as home:
        world = open_world(home, pair.first)
        records = [world.store.open_current().record(*h.place) for h in world.store.open_current().documents()]
        seen = [r for r in records if pair.audience.may_read(PERMISSIONS.label(r.source, r.path, r.narrowed))]
        terms = ANALYSER.terms(f"{pair.question} {more} {more}")
        assert_like_oracle(world.index.view(pair.audience), Oracle(inputs(seen), REFERENCE_LENGTH), terms)


@_SETTINGS
@given(world_pairs(), st.integers(1, 12))
def test_dense_hits_are_those_of_brute_force_ties_included(pair: Pair, top: int) -> None:
    with folder_in_memory() as home:
        world = open_world(home, pair.second)
        papers = written(pair.second)
        seen = [p.record for p in papers if not hidden(p, pair.audience)]
        version = world.store.open_current()
        live = [version.record(r.source, r.path) for r in seen if version.record(r.source, r.path)]
        texts = inputs(live)
        query = HashEncoder().questions([pair.question])[0]
        hits = world.index.view(pair.audience).dense(query, 1000)
        assert {h.chunk_id for h in hits} == set(texts)
        rows = HashEncoder().passages([texts[h.chunk_id] for h in hits]).astype(np.float16).astype(np.float64)
        assert [h.score for h in hits] == pytest.approx((rows @ query.astype(np.float64)).tolist(), abs=1e-5)
        score_of_text = {texts[h.chunk_id]: h.score for h in hits}
        assert all(score_of_text[texts[h.chunk_id]] == h.score for h in hits)       # equal texts tie exactly
        assert [(-h.score, h.chunk_id) for h in hits] == sorted((-h.score, h.chunk_id) for h in hits)
        assert world.index.view(pair.audience).dense(query, top) == hits[:top]


def test_a_long_tie_at_the_cut_is_taken_whole(tmp_path: Path) -> None:
    record = make_record("s", "open/a.md", [("Same", ["badge"] * 300), ("Other", ["laptop"] * 5)])
    store = IndexStore(tmp_path, MemoryVersions(), ANALYSER, 8.0)
    encoder = HashEncoder()
    texts = {model_input(c.section, record.text[c.start : c.end]) for c in record.chunks}
    from indexers.segments.segment import input_key
    vectors = {input_key(text): encoder.passages([text])[0] for text in texts}
    store.publish(None, changed=[record], moved={}, removed=[], cursors={}, fingerprints={},
                  vectors=lambda keys: np.array([vectors[k] for k in keys], np.float16))
    rules = RuleBook((Rule("**", frozenset({"public"})),))
    view = LiveIndex(store, FixedPermissions(Permissions.settled(1, {"s": rules}, Directory()))).view(
        Directory().audience([], NOW))
    same = sorted(c.id for c in record.chunks if c.section == ("Same",))
    query = encoder.questions(["Same\nbadge"])[0]
    for top in (1, 3, 100, 299, 300):
        assert [h.chunk_id for h in view.dense(query, top)] == same[:top]
        assert [h.chunk_id for h in view.lexical(["badg"], top)] == same[:top]
    assert len(view.dense(np.zeros(16, np.float32), 4)) == 4


@pytest.mark.data
@needs_scifact
def test_lexical_scores_on_scifact_are_those_of_the_visible_chunks_alone(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    records, questions = read_scifact(rng)
    store = IndexStore(tmp_path, MemoryVersions(), ANALYSER, 120.0)
    publish_in_parts(store, records)
    index = LiveIndex(store, FixedPermissions(TEN_GROUPS))
    for groups in (1, 5):
        audience = reader_of(groups)
        oracle = Oracle(inputs([r for r in records if int(r.path[1]) < groups]), 120.0)
        for n in rng.choice(len(questions), 12, replace=False):
            assert_like_oracle(index.view(audience), oracle, ANALYSER.terms(questions[n]))
