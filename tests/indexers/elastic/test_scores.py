"""Scores, order and cut of a search on a real Elasticsearch are those of the lists in the segments."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from homes.elastic_scene import CY, OPEN, TEAM, TERMS, assert_same_views, engine_of, world_again
from learning_scene.ten_groups import TEN_GROUPS, needs_scifact, publish_in_parts, read_scifact, reader_of
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, PUBLIC, Batch, Engines, Paper, open_world

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from vouch.errors import IndexDown

pytestmark = [pytest.mark.usefixtures("quick_disk"), pytest.mark.services]


def test_a_long_tie_at_the_cut_is_taken_whole(engines: Engines, home: Path) -> None:
    paper = Paper("open/a.md", (("Same", ("badge",) * 300), ("Other", ("laptop",) * 5)))
    view = open_world(home, [Batch((paper,))], engines=engines).index.view(PUBLIC)
    same = sorted(c.id for c in paper.record.chunks if c.section == ("Same",))
    for top in (1, 3, 100, 299, 300):
        assert [h.chunk_id for h in view.lexical(ANALYSER.terms("badge"), top)] == same[:top]


def test_a_question_of_very_many_words_is_answered(engines: Engines, home: Path) -> None:
    words = [a + b + c for a in "bcdfghjklm" for b in "aeiouy" for c in "bcdfghjklmnpqrtvwxz"]
    texts = tuple(" ".join([word, *words[n : n + 100]]) for n in range(0, len(words), 100) for word in ("rare", "more"))
    view = open_world(home, [Batch((Paper("open/a.md", (("Words", texts),)),))], engines=engines).index.view(PUBLIC)
    terms = ANALYSER.terms(" ".join(["rare", *words]))
    assert len(set(terms)) > 1024 and len(texts) > len(view.lexical(terms, 100)) > 20


def test_dead_rows_are_left_out_by_number(engines: Engines, home: Path) -> None:
    papers = tuple(replace(OPEN, path=f"open/{n}.md") for n in range(10))
    steps = [Batch(papers), Batch((), removed=("open/3.md",))]
    served, embedded = (open_world(home / name, steps, engines=kind) for name, kind in (("s", engines), ("e", None)))
    version = served.store.open_current()
    assert version is not None and len(version.rows.live) == 40 and np.count_nonzero(version.rows.live) == 36
    assert_same_views(served.index.view(PUBLIC), embedded.index.view(PUBLIC), TERMS)
    served.store.rollback(1)
    assert len(served.index.view(PUBLIC).lexical(TERMS, 100)) == 40
    engine_of(served).wait()


def test_the_setting_may_be_changed_either_way(engines: Engines, home: Path) -> None:
    embedded = open_world(home, [Batch((OPEN,)), Batch((TEAM,), removed=(OPEN.path,)), Batch((OPEN,))])
    wanted = embedded.index.view(CY)
    served = world_again(embedded, home, engines)
    with pytest.raises(IndexDown, match="not in Elasticsearch"):
        served.view(CY).lexical(TERMS, 10)
    served._store.catch_up()
    assert_same_views(served.view(CY), wanted, TERMS)


def test_another_reference_length_makes_another_index(engines: Engines, home: Path) -> None:
    world = open_world(home, [Batch((OPEN,))], engines=engines)
    engine = engine_of(world)
    one = engine._index(world.store.open_current())
    other = IndexStore(home, world.store.versions, ANALYSER, 9.0, lexical=engine)
    vectors = MemoryVectors(HashEncoder())
    vectors.learn(["Travel\ntravel needs approval"])
    other.publish(None, changed=[], moved={}, removed=[], cursors={}, fingerprints=other.fingerprints("e", "c"),
                  vectors=vectors.get, parent=1)
    assert engine._index(other.open_current()) != one


@pytest.mark.data
@needs_scifact
def test_both_engines_agree_on_scifact(engines: Engines, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    records, questions = read_scifact(rng)
    held = FixedPermissions(TEN_GROUPS)
    store = IndexStore(tmp_path, MemoryVersions(), ANALYSER, 120.0, lexical=engines(tmp_path, held))
    publish_in_parts(store, records)
    index = LiveIndex(store, held)
    embedded = LiveIndex(IndexStore(tmp_path, store.versions, ANALYSER, 120.0), held)
    compared, same_order = 0, 0
    for groups in (1, 5, 10):
        audience = reader_of(groups)
        for n in rng.choice(len(questions), 15, replace=False):
            terms = ANALYSER.terms(questions[n])
            found, wanted = (one.view(audience).lexical(terms, 100) for one in (index, embedded))
            scores = {h.chunk_id: h.score for h in embedded.view(audience).lexical(terms, len(records))}
            for hit, other in zip(found, wanted, strict=True):
                assert hit.score == pytest.approx(scores[hit.chunk_id], rel=1e-4)
                assert hit.score == pytest.approx(other.score, rel=1e-4)
            assert index.view(audience).statistics(terms) == embedded.view(audience).statistics(terms)
            compared += len(found)
            same_order += [h.chunk_id for h in found] == [h.chunk_id for h in wanted]
    print(f"\n{compared} hits within 1e-4, {same_order} of 45 lists in the same order")
    assert compared > 2000
