"""The features: their names are fixed per schema, and what is missing says so."""

import math
import random
from typing import Any

import pytest
from homes.small_world import EVERYBODY, passage, small_world

from vouch.adapters.analyser import SnowballAnalyser
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.fusion_features import (
    FEATURE_NAMES,
    FEATURE_SCHEMA,
    feature_matrix,
    feature_vectors,
    usable_features,
)
from vouch.retrieval.hits import retrieve
from vouch.retrieval.question.query import form_query
from vouch.values.candidate import Candidate, Statistics
from vouch.values.question import Query

SCHEMA_2 = (
    "bm25_score bm25_rank bm25_rrf bm25_missing bm25_share sem_score sem_rank sem_rrf sem_missing sem_gap chunk_len "
    "doc_len title_match section_match position is_seed expansion_adjacent expansion_same_section seed_score "
    "same_section_above same_document_above question_terms question_rare question_identifiers question_word"
)
NOTHING = Statistics(0, {})


def test_names_change_only_with_the_schema() -> None:
    assert (FEATURE_SCHEMA, " ".join(FEATURE_NAMES)) == (2, SCHEMA_2)


def test_values_of_a_hit_and_of_an_expanded_chunk() -> None:
    query = Query("sick leave", ("sick", "leav"))
    hit = Candidate(
        passage("Sick?", title="Leave", section=("Sick leave",), ordinal=1, document_chunks=3),
        lexical_score=2.5, lexical_rank=4, fused_score=0.02, fused_rank=3,
    )
    near = Candidate(
        passage("More", chunk_id="c2", title="Leave", section=("Sick leave",), ordinal=2, document_chunks=3),
        expansion="adjacent", seed="c1",
    )
    one, other = feature_vectors(query, [hit, near], NOTHING, SnowballAnalyser())
    assert tuple(one) == tuple(other) == FEATURE_NAMES
    assert (one["bm25_score"], one["bm25_rank"], one["bm25_rrf"], one["bm25_missing"]) == (2.5, 4, 1 / 64, 0)
    assert (one["sem_score"], one["sem_rank"], one["sem_rrf"], one["sem_missing"]) == (0, 0, 0, 1)
    assert (one["title_match"], one["section_match"], one["position"], one["is_seed"]) == (0.5, 1, 0.5, 1)
    assert (other["is_seed"], other["expansion_adjacent"], other["expansion_same_section"]) == (0, 1, 0)
    assert one["seed_score"] == other["seed_score"] == 1 / 64
    assert (one["same_section_above"], other["same_section_above"], other["same_document_above"]) == (0, 1, 1)


def test_scores_are_told_beside_the_best_of_their_list() -> None:
    query = Query("leave", ("leav",))
    first = Candidate(passage("a", chunk_id="a"), lexical_score=4.0, lexical_rank=1, dense_score=0.5, dense_rank=2)
    second = Candidate(passage("b", chunk_id="b"), lexical_score=1.0, lexical_rank=2, dense_score=0.75, dense_rank=1)
    one, other = feature_vectors(query, [first, second], NOTHING, SnowballAnalyser())
    assert (one["bm25_share"], other["bm25_share"]) == (1.0, 0.25)
    assert (one["sem_gap"], other["sem_gap"]) == (0.25, 0.0)


def test_the_kind_of_question() -> None:
    def kind(text: str, terms: tuple[str, ...], statistics: Statistics = NOTHING) -> tuple[float, ...]:
        [row] = feature_vectors(Query(text, terms), [Candidate(passage("a"))], statistics, SnowballAnalyser())
        return row["question_terms"], row["question_rare"], row["question_identifiers"], row["question_word"]

    seen = Statistics(200, {"vpn": 2, "access": 90})
    assert kind("Who has access to VPN?", ("access", "vpn"), seen) == (2, 0.5, 1 / 5, 1)
    assert kind("restart eu_west and db42", ("restart", "eu_west", "db42")) == (3, 1, 0.5, 0)
    assert kind("the", ()) == (0, 0, 0, 0)


def test_the_order_of_the_candidates_changes_no_row() -> None:
    world = small_world()
    query = form_query("paid leave for parents", world.components.analyser)
    view = world.index.view(EVERYBODY)
    fused = fuse(view, query, retrieve(view, world.components.encoder, query, 100), ReciprocalRanks()).candidates
    assert [c.fused_rank for c in fused] == list(range(1, len(world.index.passages) + 1))
    statistics = view.statistics(query.terms)
    rows = dict(zip((c.chunk_id for c in fused), feature_matrix(query, fused, statistics, world.components.analyser),
                    strict=True))
    shuffled = random.Random(3).sample(fused, len(fused))
    again = feature_matrix(query, shuffled, statistics, world.components.analyser)
    for candidate, row in zip(shuffled, again, strict=True):
        assert (row == rows[candidate.chunk_id]).all() and (abs(row) < 1e6).all()
    assert feature_matrix(query, [], statistics, world.components.analyser).shape == (0, len(FEATURE_NAMES))


FEATURES: dict[str, Any] = dict.fromkeys(FEATURE_NAMES, 0.5) | {FEATURE_NAMES[1]: 2, FEATURE_NAMES[2]: -1.0}


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf, 1e101, -1e101, 10**400, "0.5", "", None, [], {}])
@pytest.mark.parametrize("name", [FEATURE_NAMES[0], FEATURE_NAMES[-1]])
def test_kept_features_with_one_that_is_no_number_are_not_used(name: str, odd: Any) -> None:
    assert usable_features(FEATURES) and not usable_features(FEATURES | {name: odd})


@pytest.mark.parametrize("kept", [
    None, 5, "features", [0.5] * len(FEATURE_NAMES), {}, dict.fromkeys(FEATURE_NAMES[1:], 0.5),
])  # fmt: skip
def test_nor_is_what_lacks_some(kept: Any) -> None:
    assert not usable_features(kept)
