"""A reranker serves with an evaluator that was trained with it, unchanged since it was registered, or not at all."""

import logging
from functools import partial
from pathlib import Path

import pytest
from learning_scene.registry_rows import Clock, evaluator_row, fusion_row, names, point, promote, row
from model_fakes.cross_encoder_model import random_cross_encoder, random_judge

from composition.model_registry import registered, scorers
from composition.model_registry.registered import RETRY_S, Fitting, registered_evaluator
from composition.model_registry.registry import LOOK_S, Registry
from composition.models import load_kept_cross_encoder
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.registry.going_back import TOGETHER
from vouch.adapters.models.scorers import kept_cross_encoders
from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights
from vouch.adapters.models.scorers.kept_cross_encoders import keep_cross_encoder, kept_folder
from vouch.errors import LedgerDown, ModelDown
from vouch.learning.models.cross_encoder_model import CrossEncoderModel
from vouch.settings import Settings
from vouch.settings.models import EvaluatorSettings, RerankerSettings

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("quick_disk")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_cross_encoder(tmp_path_factory.mktemp("models") / "cross")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def reranker(settings: Settings, folder: Path) -> CrossEncoderModel:
    settings.home.mkdir()
    return keep_cross_encoder(settings.home, folder, "float32", "cpu")


@pytest.fixture
def registry(settings: Settings, ledger: Ledger, clock: Clock) -> Registry:
    return Registry(settings, ledger.models, clock)


def promoted(ledger: Ledger, reranker: CrossEncoderModel, reranked_with: str = "") -> tuple[str, str]:
    name = promote(ledger, row(reranker, "reranker"))
    return name, promote(ledger, evaluator_row(reranked_with=reranked_with or reranker.weights))


def ordered_and_judged(registry: Registry) -> tuple[str, str]:
    scorers = registry().scorers()
    assert scorers.judge.evaluator.fingerprint and (scorers.reranker is None) == (scorers.reranked_by[:6] == "maxsim")
    return scorers.reranked_by, scorers.judge.name


def test_the_pair_serves_and_what_was_begun_goes_on_with_its_own(
    registry: Registry, ledger: Ledger, clock: Clock, reranker: CrossEncoderModel
) -> None:
    before = registry()
    name, judge = promoted(ledger, reranker)
    clock.now += LOOK_S
    assert ordered_and_judged(registry) == (name, judge)
    made = registry().scorers().reranker
    assert made is not None and len(made.scores([("who?", "Ana"), ("who?", "nobody")])) == 2
    assert before.scorers().reranker is None and before.scorers().reranked_by == "maxsim"
    fusion = promote(ledger, fusion_row())
    clock.now += LOOK_S
    assert names(registry()) == (fusion, judge) and registry().scorers().reranker is made, "loaded once"
    assert registry().check().name == judge


@pytest.mark.parametrize("harm", ["changed", "missing", "one file less", "cannot be loaded"])
def test_a_copy_that_is_not_what_was_registered_serves_nobody(
    registry: Registry, settings: Settings, ledger: Ledger, clock: Clock, reranker: CrossEncoderModel, harm: str,
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    place = kept_folder(settings.home, reranker)
    name, judge = promoted(ledger, reranker)
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        harmed(harm, place, patch)
        for _ in range(3):
            order, judged = ordered_and_judged(registry)
            clock.now += LOOK_S
    assert order == f"maxsim (the registered model {name} cannot be used)" and judged.startswith("evaluator:")
    assert [name in one.getMessage() for one in caplog.records].count(True) == 1 and len(caplog.records) == 2
    if harm == "cannot be loaded":
        clock.now += RETRY_S
        assert ordered_and_judged(registry) == (name, judge), "memory is there again"


def harmed(harm: str, place: Path, patch: pytest.MonkeyPatch) -> None:
    if harm == "changed":
        (place / "model.safetensors").write_bytes((place / "model.safetensors").read_bytes() + b"\0")
    elif harm == "missing":
        place.rename(place.with_name("away"))
    elif harm == "one file less":
        (place / "tokenizer_config.json").unlink()
    else:
        def fails(*_: object) -> None:
            raise ModelDown("no memory")

        patch.setattr(scorers, "load_kept_cross_encoder", fails)


def test_an_evaluator_of_another_reranker_never_serves_with_it(
    registry: Registry, ledger: Ledger, clock: Clock, reranker: CrossEncoderModel, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever moved the pointers past the service: what fits serves, whole."""
    name, judge = promoted(ledger, reranker, "maxsim")
    with caplog.at_level(logging.WARNING):
        assert ordered_and_judged(registry) == (f"maxsim (the registered model {name} cannot be used)", judge)
    assert "trained with another reranker" in caplog.text
    point(ledger, "evaluator", None)
    clock.now += LOOK_S
    assert ordered_and_judged(registry)[0] != name
    promote(ledger, evaluator_row(0.12, reranker.weights))
    clock.now += LOOK_S
    assert ordered_and_judged(registry)[0] == name


def test_planted_a_changed_copy_is_seen_to_serve(
    registry: Registry, settings: Settings, ledger: Ledger, reranker: CrossEncoderModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = kept_folder(settings.home, reranker)
    name, _ = promoted(ledger, reranker)
    (place / "config.json").write_bytes((place / "config.json").read_bytes() + b" ")
    monkeypatch.setattr(kept_cross_encoders, "check_kept", kept_folder)
    monkeypatch.setattr(scorers, "load_kept_cross_encoder", lambda settings, folder, weights: load_kept_cross_encoder(
        settings, folder, cross_encoder_weights(folder)))
    assert ordered_and_judged(registry)[0] == name
    assert cross_encoder_weights(place) != reranker.weights


def test_planted_a_pair_that_does_not_fit_is_seen_to_serve(
    registry: Registry, ledger: Ledger, reranker: CrossEncoderModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, judge = promoted(ledger, reranker, "maxsim")
    monkeypatch.setattr(registered, "registered_evaluator",
                        lambda settings, row, *beside: registered_evaluator(settings, row))
    assert ordered_and_judged(registry) == (name, judge)


def test_a_folder_of_the_settings_wins_and_their_evaluator_has_to_fit(
    settings: Settings, ledger: Ledger, reranker: CrossEncoderModel, folder: Path
) -> None:
    promoted(ledger, reranker, "maxsim")
    chosen = settings.model_copy(update={"reranker": RerankerSettings(model=str(folder))})
    assert Registry(chosen, ledger.models)._chosen(ledger.models.pointers()).scorers.reranker == ""
    fitting = Fitting(settings, ledger.models)
    name = ledger.models.list("reranker")[0].name
    assert "another reranker" in fitting.apart({"reranker": name}) and not fitting.apart({})
    wrong = settings.model_copy(update={"evaluator": EvaluatorSettings(model=str(folder / "config.json"))})
    assert Fitting(wrong, ledger.models).apart({})


def test_a_judge_of_another_encoder_is_refused_without_loading_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    model = keep_cross_encoder(home, random_judge(tmp_path / "judge"), "float32", "cpu")
    assert model.base and kept_cross_encoders.check_kept(home, model)
    card = kept_folder(home, model) / "judge.json"
    card.write_text(card.read_text().replace(model.base, "0" * 64))
    other = model.model_copy(update={"weights": cross_encoder_weights(card.parent)})
    card.parent.rename(kept_folder(home, other))
    with pytest.raises(ModelDown, match="another encoder"):
        kept_cross_encoders.check_kept(home, other)


def test_what_the_ledger_says_leads_to_no_other_folder(tmp_path: Path, reranker: CrossEncoderModel) -> None:
    for weights in ("cross-encoder:../../etc", "cross-encoder:" + "A" * 32, "maxsim", ""):
        with pytest.raises(ValueError, match="pattern"):
            CrossEncoderModel.model_validate(reranker.model_dump() | {"weights": weights})


def test_half_a_copy_is_made_anew(settings: Settings, reranker: CrossEncoderModel, folder: Path) -> None:
    place = kept_folder(settings.home, reranker)
    (place / "tokenizer.json").unlink()
    assert keep_cross_encoder(settings.home, folder, "float32", "cpu") == reranker
    assert kept_cross_encoders.check_kept(settings.home, reranker) == place
    assert [one.name for one in place.parent.iterdir() if one.is_dir()] == [place.name]


def test_a_ledger_that_is_down_says_nothing_about_a_model(
    settings: Settings, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: object) -> None:
        raise LedgerDown("the ledger is down")

    monkeypatch.setattr(type(ledger.models), "get", down)
    fitting = Fitting(settings, ledger.models)
    for asked in (lambda: fitting.unusable("a"), *(partial(fitting.apart, {kind: "a"}) for kind in TOGETHER)):
        with pytest.raises(LedgerDown):
            asked()
