"""Files of the settings win over the registry, and a shadow serves only where the settings say so."""

import json
from typing import Any

from learning_scene.registry_rows import NOW, evaluator_row, fusion_row, names, promote

from composition.model_registry.registry import Registry
from vouch.adapters.ledger import Ledger
from vouch.learning.models.evaluator_model import SHIPPED
from vouch.settings import Settings
from vouch.settings.learning import ShadowSettings
from vouch.settings.models import EvaluatorSettings, FusionSettings


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
