"""How a message comes to lie on its dead topic."""

from datetime import datetime

from vouch.errors import BadMessage
from vouch.messages import DEAD, DeadLetter
from vouch.ports.log import Producer, Record

_KEPT = 10_000                          # bytes of a value that the log does not take


def bury(
    producer: Producer, record: Record, error: BaseException, attempts: int, first_at: datetime, last_at: datetime
) -> None:
    """Sends `record` to the dead topic, untouched, with the reason beside it.

    Of one that is too large for the log only the beginning is kept.
    """
    letter = DeadLetter(
        record.topic, record.partition, record.offset, str(error)[:2000], type(error).__name__, attempts,
        first_at.isoformat(), last_at.isoformat(),
    )  # fmt: skip
    topic, headers = record.topic + DEAD, letter.headers()
    try:
        producer.send(topic, record.key, record.value, [*record.headers, *headers])
    except BadMessage:
        size = ("vouch-dead-bytes", str(len(record.value)).encode())
        producer.send(topic, record.key[:_KEPT], record.value[:_KEPT], [*headers, size])
