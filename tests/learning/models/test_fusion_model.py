"""A learned fusion: its score is the formula, and a file of one is data to distrust."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes.small_world import EVERYBODY, passage, small_world
from model_fakes.broken_fields import BROKEN
from model_fakes.fusion_models import engines_alone, everything, model_of

from vouch.adapters.analyser import SnowballAnalyser
from vouch.errors import BadInput, Usage
from vouch.learning.models import fusion_model
from vouch.learning.models.fusion_model import FusionModel, LearnedFusion, load_fusion
from vouch.learning.models.model_file import write_model
from vouch.learning.training.fusion_training import JudgedCandidates, scores_by
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranking, rank
from vouch.values.candidate import Candidate, Statistics
from vouch.values.question import Query

QUERY = Query("Where is db42?", ("db42",))


def look() -> Statistics:
    return Statistics(200, {"db42": 1})


@pytest.mark.parametrize("seed", range(5))
def test_what_serves_shadows_and_is_judged_scores_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of drawn models and rows, to the bit; what an explanation says each feature adds makes the same sum."""
    model, matrix = everything(seed), np.random.default_rng(seed).normal(0.2, 2, (30, len(FEATURE_NAMES)))
    monkeypatch.setattr(fusion_model, "feature_matrix", lambda *_: matrix)
    served = LearnedFusion(model, SnowballAnalyser())
    judged = JudgedCandidates("q", matrix, [0.0] * 30, [str(n) for n in range(30)], {})
    rows = [dict(zip(FEATURE_NAMES, row, strict=True)) for row in matrix.tolist()]
    scores = served.scores(QUERY, [], look)
    assert scores == model.scores(matrix).tolist() == scores_by(model.terms, judged).tolist()
    for told in (served.explain(QUERY, [], look), served.explain_kept(rows)):
        assert [sum(part.adds for part in parts) for parts in told] == pytest.approx(scores, abs=1e-9)


def hit(chunk_id: str, lexical: float, dense: float, rank_: int) -> Candidate:
    return Candidate(passage("words", chunk_id=chunk_id), lexical, rank_, dense, rank_)


def test_the_score_is_the_formula() -> None:
    fusion = LearnedFusion(model_of({"bm25_share": 1.5, "sem_gap*question_identifiers": -2.0}), SnowballAnalyser())
    first, second = hit("a", 4.0, 0.75, 1), hit("b", 1.0, 0.5, 2)
    share, product = 1.5 * (0.25 - 0.1) / 0.5, -2.0 * (0.25 * (1 / 3) - 0.1) / 0.5
    assert fusion.scores(QUERY, [first, second], look)[1] == pytest.approx(share + product)
    parts = fusion.explain(QUERY, [first, second], look)[1]
    assert [part.feature for part in parts] == ["bm25_share", "sem_gap*question_identifiers"]
    assert [part.adds for part in parts] == pytest.approx([share, product])
    assert [part.weight for part in parts] == [1.5, -2.0]
    assert [part.value for part in parts] == pytest.approx([0.25, 0.25 / 3])


def test_what_is_far_from_all_that_was_seen_counts_no_more_than_three_deviations() -> None:
    fusion = LearnedFusion(model_of({"bm25_score": 1.0}), SnowballAnalyser())
    assert fusion.scores(QUERY, [hit("a", 1e9, 0.5, 1), hit("b", 1.2, 0.4, 2)], look) == pytest.approx([3.0, 2.2])


def test_the_kind_of_question_decides_whom_to_trust() -> None:
    fusion = LearnedFusion(model_of({"bm25_share*question_identifiers": 4.0, "sem_gap": -1.0}), SnowballAnalyser())
    lexical, dense = hit("lexical", 4.0, 0.3, 1), hit("dense", 1.0, 0.9, 2)
    by_words = fusion.scores(QUERY, [lexical, dense], look)
    by_meaning = fusion.scores(Query("how do i get there", ("get",)), [lexical, dense], look)
    assert by_words[0] > by_words[1] and by_meaning[0] < by_meaning[1]


def test_it_ranks_a_question_and_the_ranking_says_so() -> None:
    world = small_world()
    fusion = LearnedFusion(engines_alone(), world.components.analyser)
    query = form_query("How many weeks of paid leave do parents get?", world.components.analyser)
    ranked = rank(world.index.view(EVERYBODY), query, world.components.ranking_models, Ranking(fusion=fusion))
    assert ranked.fused_by == fusion.name and fusion.name.startswith("fusion:")
    assert "12 weeks" in ranked.fused[0].passage.text


def test_the_name_follows_what_decides() -> None:
    model = engines_alone()
    assert model.model_copy(update={"seed": 7, "data": ("x",)}).fingerprint == model.fingerprint
    assert everything(1).fingerprint != everything(2).fingerprint


def content(**change: Any) -> dict[str, Any]:
    return engines_alone().model_dump(mode="json") | change


@pytest.mark.parametrize(("change", "says"), [
    ({"feature_schema": FEATURE_SCHEMA + 1}, "feature schema"),
    ({"kind": "pickle"}, "kind"),
    ({"terms": {}}, "terms"),
    ({"terms": {"wishes": {"mean": 0, "scale": 1, "weight": 1}}}, "wishes"),
    ({"terms": {"w" * 900_000: {"mean": 0, "scale": 1, "weight": 1}}}, "unknown"),
    ({"terms": {"sem_gap*wishes": {"mean": 0, "scale": 1, "weight": 1}}}, "wishes"),
    ({"terms": {"sem_gap*sem_gap*sem_gap": {"mean": 0, "scale": 1, "weight": 1}}}, "two factors"),
    ({"terms": {"sem_gap": {"mean": 0, "scale": 0, "weight": 1}}}, "scale"),
    ({"terms": {"sem_gap": {"mean": 0, "scale": 1, "weight": 99}}}, "weight"),
    ({"features": "a" * 900_000}, "features"),
    ({"refused": "a" * 900_000}, "refused"),
    *BROKEN,
])
def test_a_wrong_value_is_refused_by_name(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    file = tmp_path / "fusion.json"
    file.write_text(json.dumps(content(**change)))
    with pytest.raises(BadInput, match=says) as told:
        load_fusion(file, "test")
    assert len(str(told.value)) < 2000


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("figure", ["{}", "[0.5, {}]"])
def test_figures_that_are_no_numbers_are_refused(tmp_path: Path, number: str, figure: str) -> None:
    file = tmp_path / "fusion.json"
    file.write_text(json.dumps(content(figures={"a": {"x": 123456}})).replace("123456", figure.format(number)))
    with pytest.raises(BadInput, match="figures"):
        load_fusion(file, "test")


def test_a_file_is_read_back_and_serves_its_own_encoder_alone(tmp_path: Path) -> None:
    file = tmp_path / "fusion.json"
    write_model(everything(), file)
    assert load_fusion(file, "test") == everything()
    with pytest.raises(Usage, match="another encoder"):
        load_fusion(file, "other")
    with pytest.raises(BadInput, match="cannot be read"):
        load_fusion(tmp_path / "nothing.json", "test")


def test_a_file_without_an_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no plain file"):
        load_fusion(Path("/dev/zero"), "test")
    (tmp_path / "large.json").write_bytes(b" " * 2_000_000)
    with pytest.raises(BadInput, match="larger than"):
        load_fusion(tmp_path / "large.json", "test")


def test_one_that_its_gate_refused_is_not_served(tmp_path: Path) -> None:
    write_model(FusionModel.model_validate(content(refused="it is worse")), tmp_path / "fusion.json")
    with pytest.raises(Usage, match="it is worse"):
        load_fusion(tmp_path / "fusion.json", "test")
