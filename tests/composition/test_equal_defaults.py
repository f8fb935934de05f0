"""A default that a group of settings has, and a class of the domain too, is the same in both."""

from dataclasses import MISSING, fields
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from bots.http.middleware import Limits as RequestLimits
from flows.training.retraining import TrainingRules
from indexers.elastic.server.client import ElasticOptions
from indexers.segments.hnsw import GraphSearch
from services.models.calibration import CalibrationRules
from vouch.adapters.language_model.model import CallLimits
from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.adapters.web.knowledge import WebLimits
from vouch.answering.packing import Packing
from vouch.correction.planning.limits import Limits
from vouch.learning.evaluator.calibration import Costs
from vouch.learning.evaluator.calibration_figures import Needed
from vouch.learning.gaps.gap import GapLimits
from vouch.learning.labels.weak_labels import LabelRules
from vouch.settings.answering import AnsweringSettings, StepsSettings, WebSettings
from vouch.settings.ingesting import ParsingSettings
from vouch.settings.learning import CalibrationSettings, GapSettings, LabelSettings, TrainingSettings
from vouch.settings.models import OpenAIWriter
from vouch.settings.stores import ElasticLexical, HnswVectors, KafkaLog
from vouch.settings.surfaces import HttpSettings

PAIRS: list[tuple[type[BaseModel], type[Any]]] = [
    (LabelSettings, LabelRules), (GapSettings, GapLimits), (OpenAIWriter, CallLimits), (CalibrationSettings, Costs),
    (CalibrationSettings, Needed), (WebSettings, WebLimits), (KafkaLog, KafkaConnection), (HnswVectors, GraphSearch),
    (ParsingSettings, ParsingLimits), (StepsSettings, Limits), (HttpSettings, RequestLimits),
    (TrainingSettings, TrainingRules), (TrainingSettings, CalibrationRules),
    (AnsweringSettings, Packing), (ElasticLexical, ElasticOptions),
]
# No uploads unless the settings are given; a file in the one, its questions in the other.
OTHERS: dict[type[Any], set[str]] = {RequestLimits: {"upload_bytes"}, CalibrationRules: {"golden"}}


def of_settings(group: type[BaseModel]) -> dict[str, Any]:
    return {name: one.default for name, one in group.model_fields.items() if one.default is not PydanticUndefined}


def of_domain(kind: type[Any]) -> dict[str, Any]:
    return {one.name: one.default for one in fields(kind) if one.default is not MISSING}


@pytest.mark.parametrize(("group", "kind"), PAIRS, ids=lambda one: one.__name__)
def test_they_are_equal(group: type[BaseModel], kind: type[Any]) -> None:
    settings, domain = of_settings(group), of_domain(kind)
    shared = (settings.keys() & domain.keys()) - OTHERS.get(kind, set())
    assert shared and {name: domain[name] for name in shared} == {name: settings[name] for name in shared}
