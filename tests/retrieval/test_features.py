"""The feature vector: its names are fixed per schema, and what is missing says so."""

from small_world import EVERYBODY, passage, small_world

from vouch.adapters.analyser import SnowballAnalyser
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.features import FEATURE_NAMES, FEATURE_SCHEMA, feature_vectors
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.query import Query, form_query
from vouch.retrieval.retrieve import retrieve

SCHEMA_1 = (
    "bm25_score bm25_rank bm25_rrf bm25_missing sem_score sem_rank sem_rrf sem_missing chunk_len doc_len title_match "
    "section_match position is_seed expansion_adjacent expansion_same_section seed_score same_section_above "
    "same_document_above"
)


def test_names_change_only_with_the_schema() -> None:
    assert (FEATURE_SCHEMA, " ".join(FEATURE_NAMES)) == (1, SCHEMA_1)


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
    one, other = feature_vectors(query, [hit, near], SnowballAnalyser())
    assert tuple(one) == tuple(other) == FEATURE_NAMES
    assert (one["bm25_score"], one["bm25_rank"], one["bm25_rrf"], one["bm25_missing"]) == (2.5, 4, 1 / 64, 0)
    assert (one["sem_score"], one["sem_rank"], one["sem_rrf"], one["sem_missing"]) == (0, 0, 0, 1)
    assert (one["title_match"], one["section_match"], one["position"], one["is_seed"]) == (0.5, 1, 0.5, 1)
    assert (other["is_seed"], other["expansion_adjacent"], other["expansion_same_section"]) == (0, 1, 0)
    assert one["seed_score"] == other["seed_score"] == 0.02
    assert (one["same_section_above"], other["same_section_above"], other["same_document_above"]) == (0, 1, 1)


def test_every_fused_candidate_gets_finite_numbers() -> None:
    world = small_world()
    query = form_query("paid leave for parents", world.components.analyser)
    view = world.index.view(EVERYBODY)
    fused = fuse(view, query, retrieve(view, world.components.encoder, query, 100), ReciprocalRanks())
    assert [c.fused_rank for c in fused] == list(range(1, len(world.index.passages) + 1))
    for vector in feature_vectors(query, fused, world.components.analyser):
        assert all(value == value and abs(value) < 1e6 for value in vector.values())
