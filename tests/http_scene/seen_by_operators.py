"""What gives each page for operators something to show."""

from datetime import timedelta

from learning_scene.past_answers import put
from learning_scene.registry_rows import fusion_row

from flows.shared.home_files.evaluation_reports import save_evaluation
from http_scene.http_place import Paper, Place
from vouch.adapters.ledger.registry.model_rows import GUARD
from vouch.learning.evaluator.evaluator_figures import reliability
from vouch.messages import DeadLetter
from vouch.ports.surface import Delivery


def something_to_see(place: Place) -> None:
    """A dead message, a report of an evaluation, an answer, votes, a model and a broken document."""
    letter = DeadLetter("questions", 0, 0, "words", "BadMessage", 3, "2026-11-23T10:00:00", "2026-11-23T10:01:00")
    place.log.producer().send("questions.dead", b"k", b"words", letter.headers())
    save_evaluation(place.home.bench.home, "answers", "questions.jsonl", place.home.now, {
        "figures": {"questions": 2}, "reliability": reliability([True, False], [0.9, 0.3]),
        "risk_coverage": [[0.5, 0.0], [1.0, 0.5]]})
    answer = put(place.home.bench.ledger, "v", "What?", "user:v", place.home.now - timedelta(days=2),
                 votes={"user:a": "up"})
    place.home.bench.ledger.surface.post(Delivery("v", None, {"id": answer}))
    place.home.bench.ledger.models.add(fusion_row())
    place.home.put("docs", "broken.pdf", Paper("not a PDF"))
    assert place.home.ingest(["docs"])


def shadowed_promoted_and_put_back(place: Place) -> None:
    models, name = place.home.bench.ledger.models, fusion_row().name
    seen = {"since": place.home.now.isoformat(), "beside": "reciprocal ranks", "answers": 7, "other_schema": 0,
            "overlap@10": 0.5, "first_changes": 0.25, "first_three_change": 1.0, "interleaving": None}
    models.shadow("fusion", name, expected=0, at=place.home.now)
    models.shadow("fusion", None, expected=1, at=place.home.now, seen=seen)
    for moves, (model, by) in enumerate([(name, "user:olga"), (None, GUARD)], 2):
        models.move("fusion", model, expected=moves, reason="fewer votes are up", by=by, at=place.home.now)
