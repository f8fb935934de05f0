"""What works at this moment takes a promotion without a restart, and nobody sees that a model shadows."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from learning_scene.promoted_process import QUESTION, Process, added, evaluator

from consumers.wiring.components import open_worker
from services.models.registry import ModelService
from services.wiring.answering import open_search_service
from services.wiring.models import open_models
from vouch.answering.answer import Answer
from vouch.errors import Usage
from vouch.settings import Settings, read_settings

NOT_COMPARED = {"id", "question_id", "timings_ms", "asked_at", "answered_at"}
pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]


def test_answers_are_made_by_what_is_promoted_and_name_it(process: Process, registry: ModelService) -> None:
    first = process.ask()
    assert first.fused_by == "reciprocal ranks" and first.judged_by.startswith("evaluator:")
    one, other = added(registry, bm25_share=1.0), added(registry, sem_rrf=-1.0, bm25_rrf=-1.0)
    registry.promote(one, "ana", early=True)
    assert process.ask().fused_by == one
    registry.promote(other, "ana", early=True)
    assert process.ask().fused_by == other
    registry.rollback("fusion", "ana")
    assert process.ask().fused_by == one
    registry.rollback("fusion", "ana")
    assert process.ask().fused_by == "reciprocal ranks"
    assert [move.model for move in process.parts.ledger.models.moves()] == [one, other, one, None]


def test_the_order_is_that_of_the_promoted_model(process: Process, registry: ModelService) -> None:
    """One that turns the order of the words around puts last what came first."""
    process.ask()
    name = added(registry, bm25_rrf=-4.0)
    registry.promote(name, "ana", early=True)
    process.ask()
    newest = process.parts.ledger.ranked.since(datetime(2026, 1, 1, tzinfo=UTC), ["reciprocal ranks", name], 2)
    after, before = (
        [row["chunk_id"] for row in sorted(one.rows, key=lambda row: row["fused_rank"])] for one in newest
    )
    assert before[0] == after[-1] and {*before} == {*after}


def test_a_search_in_the_same_process_takes_it_too(process: Process, registry: ModelService,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    finder = open_search_service(read_settings())
    assert finder.search(QUESTION, ["public"], 5, "fused")["fused_by"] == "reciprocal ranks"
    name = added(registry, bm25_share=1.0)
    registry.promote(name, "ana", early=True)
    monkeypatch.setattr("composition.model_registry.registry.LOOK_S", 0.0)
    found = finder.search(QUESTION, ["public"], 5, "fused", explain=True)
    assert found["fused_by"] == name and found["results"][0]["why"][0]["feature"] == "bm25_share"


def test_an_evaluator_is_swapped_live_and_back(process: Process, registry: ModelService) -> None:
    first = process.ask()
    name = evaluator(registry, 0.0)
    registry.promote(name, "ana")
    second = process.ask()
    assert second.judged_by == name and second.verdict and second.verdict.thresholds.lower == 0.0
    registry.rollback("evaluator", "ana")
    assert process.ask().judged_by == first.judged_by
    with pytest.raises(Usage, match="only a fusion"):
        registry.shadow(name)


def comparable(answer: Answer) -> bytes:
    return json.dumps(answer.model_dump(mode="json", exclude=NOT_COMPARED), sort_keys=True).encode()


def test_nobody_sees_that_a_model_shadows(process: Process, registry: ModelService) -> None:
    """Answers are the same, byte for byte, with and without it; so is what is recorded of their candidates."""
    name = added(registry, bm25_rrf=-4.0)
    before = process.ask()
    registry.shadow(name)
    during = [process.ask() for _ in range(3)]
    assert {comparable(one) for one in during} == {comparable(before)}
    ledger = process.parts.ledger
    plain, *others = (ledger.answers.candidates(one.id) for one in (before, *during))
    assert all(other == plain for other in others)

    seen = registry.show(name)["shadow"]
    assert seen["answers"] == 3 and seen["first_changes"] == 1.0 and seen["beside"] == "reciprocal ranks"
    assert registry.stop_shadow() == name and comparable(process.ask()) == comparable(before)


def test_it_may_be_promoted_once_enough_was_seen(process: Process, registry: ModelService) -> None:
    name = added(registry, bm25_share=1.0)
    with pytest.raises(Usage, match="has not shadowed"):
        registry.promote(name, "ana")
    registry.shadow(name)
    with pytest.raises(Usage, match="0 of 100 answers"):
        registry.promote(name, "ana")
    short = open_models(read_settings().model_copy(update={"shadow": Settings().shadow.model_copy(
        update={"answers": 2})}))
    process.ask()
    with pytest.raises(Usage, match="1 of 2 answers"):
        short.promote(name, "ana")
    process.ask()
    assert short.promote(name, "ana")[0].model == name and short.ledger.models.pointer("fusion").shadow is None


def test_after_its_time_the_number_does_not_matter(registry: ModelService) -> None:
    name = added(registry, bm25_share=1.0)
    registry.shadow(name)
    later = datetime.now(UTC) + timedelta(hours=169)
    object.__setattr__(registry.shadows, "clock", lambda: later)
    assert registry.promote(name, "ana")[0].model == name


def test_answers_made_in_turns_say_so_and_are_counted_as_such(
    home: Path, registry: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOUCH_SHADOW__INTERLEAVE", "true")
    process = Process(open_worker(read_settings(), "worker", judges=True))
    name = added(registry, bm25_rrf=-4.0)
    registry.shadow(name)
    assert process.ask().fused_by == f"reciprocal ranks interleaved with {name}"
    seen = registry.show(name)["shadow"]
    turns = seen["interleaving"]
    assert seen["answers"] == 0 and seen["interleaved"] == 1
    assert turns["wins"] + turns["ties"] + turns["losses"] == 1
