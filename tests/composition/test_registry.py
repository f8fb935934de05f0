"""A process serves what the registry points at, soon after it moves, and never what cannot be trusted."""

import itertools
import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from fusion_models import engines_alone, everything, model_of
from sqlalchemy import update

from composition import registry as registry_module
from composition.loads import RETRY_S
from composition.models import encoder_weights
from composition.registered import registered_fusion
from composition.registry import LOOK_S, Registry, Serving
from vouch.adapters.ledger import Ledger, RegisteredModel
from vouch.adapters.ledger.engine.schema import model_pointers
from vouch.errors import BadInput, LedgerDown, ModelDown, Usage
from vouch.learning.models.evaluator_model import SHIPPED, EvaluatorModel
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import registered_name
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.settings import EvaluatorSettings, FusionSettings, Settings, ShadowSettings

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
FITTING = encoder_weights(Settings())


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def row(model: FusionModel | EvaluatorModel, kind: str, **more: Any) -> RegisteredModel:
    name = registered_name(kind, NOW.date(), model.fingerprint)
    fields = {"state": "candidate", "body": model.model_dump(mode="json"), "report": {}, "reason": None, "made_at": NOW}
    return RegisteredModel(name=name, kind=kind, **(fields | more))


def fusion_row(**weights: float) -> RegisteredModel:
    return row(model_of(weights or {"bm25_share": 1.0}, FITTING), "fusion")


def evaluator_row(lower: float = 0.1) -> RegisteredModel:
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return row(EvaluatorModel.model_validate(shipped | {"lower": lower}), "evaluator")


def promote(ledger: Ledger, model: RegisteredModel) -> str:
    ledger.models.add(model)
    point(ledger, model.kind, model.name)
    return model.name


def point(ledger: Ledger, kind: str, name: str | None) -> None:
    moves = ledger.models.pointer(kind).moves
    ledger.models.move(kind, name, expected=moves, reason="test", by="me", at=NOW)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def registry(ledger: Ledger, clock: Clock) -> Registry:
    return Registry(Settings(), ledger.models, clock)


def names(serving: Serving) -> tuple[str, str]:
    return serving.fusion.name, serving.judge().name


def test_with_nothing_registered_all_is_as_without_a_registry(registry: Registry) -> None:
    fusion, judge = names(registry())
    assert registry().fusion == ReciprocalRanks() and fusion == "reciprocal ranks"
    assert judge == registry().judge().evaluator.fingerprint and judge.startswith("evaluator:")


def test_a_promotion_and_a_rollback_are_taken_within_two_seconds(
    registry: Registry, ledger: Ledger, clock: Clock
) -> None:
    before = registry()
    name, judge = promote(ledger, fusion_row()), promote(ledger, evaluator_row())
    clock.now += LOOK_S - 0.01
    assert registry() is before
    clock.now += 0.01
    assert names(registry()) == (name, judge) and registry().judge().evaluator.thresholds[0] == 0.1
    assert names(before)[0] == "reciprocal ranks", "an answer that began before keeps its set"
    point(ledger, "fusion", None)
    clock.now += LOOK_S
    assert names(registry()) == ("reciprocal ranks", judge)


def test_what_did_not_change_is_not_made_again_and_a_look_is_one_read(
    registry: Registry, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    promote(ledger, fusion_row())
    kept, asked = registry(), list[str]()
    monkeypatch.setattr(type(ledger.models), "get", lambda store, name: asked.append(name))
    for _ in range(3):
        clock.now += LOOK_S
        assert registry() is kept
    assert asked == []


def test_a_ledger_that_is_down_changes_nothing_that_is_served(
    registry: Registry, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = promote(ledger, fusion_row())
    kept = registry()

    def down(*_: object) -> Any:
        raise LedgerDown("the ledger is down")

    with monkeypatch.context() as patch:
        patch.setattr(type(ledger.models), "pointers", down)
        clock.now += LOOK_S
        assert registry() is kept
    other = promote(ledger, fusion_row(sem_rrf=1.0))
    with monkeypatch.context() as patch:        # seen to have moved, and gone before it could be read
        patch.setattr(type(ledger.models), "get", down)
        clock.now += LOOK_S
        assert registry() is kept and names(kept)[0] == name
    clock.now += LOOK_S
    assert names(registry())[0] == other


def test_who_knows_nothing_yet_is_told_that_the_ledger_is_down(
    registry: Registry, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: object) -> Any:
        raise LedgerDown("the ledger is down")

    with monkeypatch.context() as patch:
        patch.setattr(type(ledger.models), "pointers", down)
        with pytest.raises(LedgerDown):
            registry()
    assert names(registry())[0] == "reciprocal ranks"


def test_while_one_looks_the_others_go_on(registry: Registry, ledger: Ledger, clock: Clock,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    kept, begun, go_on = registry(), threading.Event(), threading.Event()
    pointers = ledger.models.pointers

    def slow(*_: object) -> Any:
        begun.set()
        assert go_on.wait(10)
        return pointers()

    monkeypatch.setattr(registry, "store", type("Slow", (), {"pointers": slow})())
    clock.now += LOOK_S
    looking = threading.Thread(target=registry)
    looking.start()
    assert begun.wait(10)
    assert registry() is kept
    go_on.set()
    looking.join()


def with_body(model: RegisteredModel, **change: Any) -> RegisteredModel:
    return row_of(model, model.body | change)


def row_of(model: RegisteredModel, body: dict[str, Any]) -> RegisteredModel:
    return RegisteredModel(model.name, model.kind, model.state, body, model.report, None, NOW)


TERM = {"mean": 0.1, "scale": 0.5, "weight": 1.0}
WRONG: dict[str, dict[str, Any]] = {
    "another schema": {"feature_schema": 1},
    "an unknown feature": {"terms": {"secret": TERM}},
    "a weight out of bounds": {"terms": {"bm25_share": TERM | {"weight": 4.1}}},
    "no number": {"terms": {"bm25_share": TERM | {"mean": float("nan")}}},
    "another field": {"code": "import os"},
    "another encoder": {"fingerprints": {"weights": "other"}},
    "refused": {"refused": "it loses"},
    "other weights than its name says": {"terms": {"bm25_share": TERM | {"weight": 0.5}}},
    "nothing": {"terms": {}},
    "too large": {"data": ["x" * 1_000_001]},
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_what_the_ledger_holds_is_distrusted_like_a_file(
    registry: Registry, ledger: Ledger, clock: Clock, change: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    name = promote(ledger, with_body(fusion_row(), **change))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert registry().fusion.name == f"reciprocal ranks (the registered model {name} cannot be used)"
            clock.now += LOOK_S
    assert len(caplog.records) == 1
    with pytest.raises((BadInput, Usage)):
        registered_fusion(Settings(), ledger.models.get(name))


def test_a_file_that_cannot_be_used_is_told_once_whatever_else_moves(
    ledger: Ledger, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    registry = Registry(Settings(fusion=FusionSettings(model="/nothing.json")), ledger.models, clock)
    with caplog.at_level(logging.WARNING):
        registry()
        judge = promote(ledger, evaluator_row())
        clock.now += LOOK_S
        fusion, judged_by = names(registry())
    assert judged_by == judge and fusion == "reciprocal ranks (the learned fusion of the settings cannot be used)"
    assert len(caplog.records) == 1 and "/nothing.json cannot be read" in caplog.text


def test_an_evaluator_that_cannot_be_used_gives_way_to_the_one_that_comes_along(
    registry: Registry, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    name = promote(ledger, with_body(evaluator_row(), fingerprints={"weights": "other"}))
    with caplog.at_level(logging.WARNING):
        judge = registry().judge()
    assert judge.name == f"{judge.evaluator.fingerprint} (the registered model {name} cannot be used)"
    assert "another encoder" in caplog.text and len(caplog.records) == 1


@pytest.mark.parametrize("kind", ["fusion", "evaluator"])
def test_a_model_whose_load_fails_for_a_moment_serves_a_minute_later(
    registry: Registry, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    kind: str,
) -> None:  # fmt: skip
    load, causes = getattr(registry_module, f"registered_{kind}"), ["no memory", "no memory", "no file", "no memory"]

    def fails_at_first(settings: Settings, row: RegisteredModel) -> Any:
        if causes:
            raise ModelDown(causes.pop(0))
        return load(settings, row)

    monkeypatch.setattr(registry_module, f"registered_{kind}", fails_at_first)
    name = promote(ledger, fusion_row() if kind == "fusion" else evaluator_row())
    with caplog.at_level(logging.WARNING):
        fallen = registry()
        for left in (3, 2, 1, 0):
            for _ in range(int(RETRY_S / LOOK_S)):
                assert registry() is fallen and len(causes) == left
                clock.now += LOOK_S
    assert name in " ".join(names(fallen)) and name not in names(fallen)
    served = registry()
    assert name in names(served) and served is not fallen
    clock.now += 2 * RETRY_S
    assert registry() is served, "what was loaded is not loaded again"
    assert [record.getMessage().rpartition(": ")[2] for record in caplog.records] == ["no memory", "no file"]


def test_a_ledger_that_is_down_at_the_second_try_is_asked_again(
    registry: Registry, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fusion comes back while the evaluator's row cannot be read: both serve as soon as it can."""
    def fails(*_: object) -> Any:
        raise ModelDown("no memory")

    both = promote(ledger, fusion_row()), promote(ledger, evaluator_row())
    with monkeypatch.context() as patch:
        for kind in ("fusion", "evaluator"):
            patch.setattr(registry_module, f"registered_{kind}", fails)
        fallen = registry()
    get = type(ledger.models).get

    def half(store: Any, name: str) -> Any:
        if name == both[1]:
            raise LedgerDown("the ledger is down")
        return get(store, name)

    clock.now += RETRY_S
    with monkeypatch.context() as patch:
        patch.setattr(type(ledger.models), "get", half)
        assert registry() is fallen
    clock.now += LOOK_S
    assert names(registry()) == both


def test_a_file_of_the_settings_wins(ledger: Ledger, tmp_path: Any) -> None:
    promote(ledger, fusion_row())
    promote(ledger, evaluator_row())
    file = tmp_path / "fusion.json"
    file.write_text(json.dumps(fusion_row(sem_rrf=1.0).body))
    chosen = Settings(fusion=FusionSettings(model=str(file)), evaluator=EvaluatorSettings(model=str(SHIPPED)))
    fusion, judge = names(Registry(chosen, ledger.models)())
    assert fusion.startswith("fusion:") and judge.startswith("evaluator:")


def test_a_shadow_takes_part_in_no_order_unless_the_setting_says_so(ledger: Ledger) -> None:
    current = promote(ledger, fusion_row())
    shadow = fusion_row(sem_rrf=1.0)
    ledger.models.add(shadow)
    ledger.models.shadow("fusion", shadow.name, expected=1, at=NOW)
    assert names(Registry(Settings(), ledger.models)())[0] == current
    turns = Settings(shadow=ShadowSettings(interleave=True))
    assert names(Registry(turns, ledger.models)())[0] == f"{current} interleaved with {shadow.name}"


Pair = tuple[str, str]


@pytest.fixture
def pairs(registry: Registry, ledger: Ledger) -> list[Pair]:
    """Two sets that are only ever in force whole; the registry looks at each call."""
    weights = (dict.fromkeys(engines_alone().terms, 1.0), {name: t.weight for name, t in everything().terms.items()})
    fusions = [promote(ledger, row(model_of(drawn, FITTING), "fusion")) for drawn in weights]
    made = list(zip(fusions, [promote(ledger, evaluator_row(lower)) for lower in (0.1, 0.12)], strict=True))
    registry.clock = iter(range(0, 10**9, 10)).__next__
    return made


def swap(ledger: Ledger, pair: Pair) -> None:
    """Both pointers move in one transaction."""
    with ledger.models._database.write() as connection:
        for kind, name in zip(("fusion", "evaluator"), pair, strict=True):
            connection.execute(update(model_pointers).where(model_pointers.c.kind == kind).values(model=name))


def read_beside_swaps(
    ledger: Ledger, pairs: list[Pair], read: Callable[[], Pair], enough: Callable[[Counter[Pair]], bool]
) -> Counter[Pair]:
    """What three threads read while the sets are swapped, until it is enough. Raises what a thread raises."""
    stop, found = threading.Event(), Counter[Pair]()

    def reads() -> None:
        while not stop.is_set():
            one = read()
            with noted:
                found[one] += 1

    noted, deadline = threading.Lock(), time.monotonic() + 20
    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(reads) for _ in range(3)]
        try:
            for pair in itertools.cycle(pairs):
                swap(ledger, pair)
                with noted:
                    if enough(found) or time.monotonic() > deadline or any(reader.done() for reader in readers):
                        break
        finally:
            stop.set()
    for reader in readers:
        reader.result()
    return found


def test_a_swap_in_the_middle_of_many_answers_mixes_no_set(
    registry: Registry, ledger: Ledger, pairs: list[Pair]
) -> None:
    """Readers beside a writer: each set is one that was in force, and its parts belong together."""
    found = read_beside_swaps(ledger, pairs, lambda: names(registry()),
                              lambda read: min(read[pair] for pair in pairs) >= 100)
    assert found.keys() == set(pairs), found
    swap(ledger, pairs[0])
    assert names(registry()) == pairs[0]


def test_planted_a_set_mixed_of_two_looks_is_seen(registry: Registry, ledger: Ledger, pairs: list[Pair]) -> None:
    def mixed() -> Pair:
        return registry().fusion.name, registry().judge().name

    found = read_beside_swaps(ledger, pairs, mixed, lambda read: bool(read.keys() - set(pairs)))
    assert found.keys() - set(pairs), found


def test_planted_pointers_read_one_after_the_other_are_seen(
    registry: Registry, ledger: Ledger, pairs: list[Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(ledger.models), "pointers", lambda store: {
        kind: store.pointer(kind) for kind in ("fusion", "evaluator")})
    found = read_beside_swaps(ledger, pairs, lambda: names(registry()),
                              lambda read: bool(read.keys() - set(pairs)))
    assert found.keys() - set(pairs), found


def test_what_a_reading_thread_raises_is_raised(ledger: Ledger, pairs: list[Pair]) -> None:
    def fails() -> Pair:
        raise RuntimeError("in a thread")

    with pytest.raises(RuntimeError, match="in a thread"):
        read_beside_swaps(ledger, pairs, fails, lambda read: False)
