"""The desk of `vouch ask` and `vouch feedback`."""

from datetime import timedelta

from consumers.desk import Desk
from consumers.wiring.clock import now
from consumers.wiring.parts import open_parts
from vouch.settings import KafkaLog, Settings


def build_desk(settings: Settings) -> Desk:
    """Who just asks may lack a worker's settings, and judges nothing by them."""
    parts = open_parts(settings, "ask", judges=False)
    worker = parts.worker()
    return Desk(
        ledger=parts.ledger,
        watched=parts.watched,
        producer=parts.producer,
        worker=worker,
        sender=parts.sender(),
        stop=parts.stop,
        clock=now,
        deadline=timedelta(seconds=settings.answering.deadline_seconds),
        ready=parts.index.follow,
        per_minute=settings.asking.per_minute,
        machines=(worker, *parts.machines),
        record=parts.record,
        helps=not isinstance(settings.log, KafkaLog),
    )
