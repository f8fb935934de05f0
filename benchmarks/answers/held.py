"""Questions that a worker holds together, and the machines of the settings ready to answer."""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from benchmarks.answers.answering import CHANGES, Asked, Machine, Spent, timed_components
from composition.models import load_models
from composition.storage import open_live_index, open_storage
from consumers.process import now
from consumers.questions.answerer import Answerer
from consumers.wiring.loop import loop_components
from services.answering.asking import AskClient
from services.wiring.answering import open_ask_client
from vouch.adapters.models.encoder import FixedShapeEncoder, Placement
from vouch.messages import encode, key_of, topic_of
from vouch.settings import read_settings


@dataclass(frozen=True)
class Held:
    """Answers without ids and times; forward passes of the encoder; questions a second."""

    answers: list[dict[str, Any]]
    passes: int
    rate: float


def ready() -> Machine:
    """Over the home of the settings, with its models in memory."""
    settings = read_settings()
    storage = open_storage(settings)
    index, models, spent = open_live_index(settings, storage), load_models(settings), Spent()
    components = timed_components(loop_components(settings, index, models), spent)
    place = Placement.choose(settings.encoder.dtype, settings.encoder.device)
    return Machine(
        components, Answerer(storage.permissions, index, lambda: components, now),
        cast(FixedShapeEncoder, models.encoder), models.closeness, index.version().manifest.counts.chunks,
        f"{place.device} in {place.dtype}", spent,
    )


def ask(asked: Sequence[Asked], hold: int) -> Held:
    """All of them on the log first; nothing is remembered of passages."""
    settings = read_settings()
    settings = settings.model_copy(update={"worker": settings.worker.model_copy(update={"hold": hold})})
    desk = open_ask_client(settings)
    encoder, _, closeness, *_ = load_models(settings)
    desk.worker.step(0)
    encoder.questions(["warm"])
    closeness.forget()
    cast(FixedShapeEncoder, encoder).forget()
    ids = [_send(desk, one) for one in asked]
    model = cast(FixedShapeEncoder, encoder)
    before, started = model.forward_passes, time.perf_counter()
    desk.worker.run(drain=True)
    seconds, passes = time.perf_counter() - started, model.forward_passes - before
    found = [desk.ledger.answers.by_question(one) for one in ids]
    answers = [{k: v for k, v in one.items() if k not in CHANGES} for one in found if one is not None]
    assert len(answers) == len(ids)
    desk.close()
    return Held(answers, passes, len(ids) / seconds)


def _send(desk: AskClient, asked: Asked) -> str:
    message = asked.message(uuid.uuid4().hex)
    desk.producer.send(topic_of(message), key_of(message), encode(message))
    return message.id
