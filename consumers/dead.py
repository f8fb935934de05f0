"""How a message comes to lie on its dead topic."""

from datetime import datetime

from vouch.messages import DEAD, DeadLetter
from vouch.ports import Producer, Record


def bury(
    producer: Producer, record: Record, error: BaseException, attempts: int, first_at: datetime, last_at: datetime
) -> None:
    """Sends `record` to the dead topic, untouched, with the reason beside it."""
    letter = DeadLetter(
        record.topic, record.partition, record.offset, str(error)[:2000], type(error).__name__, attempts,
        first_at.isoformat(), last_at.isoformat(),
    )  # fmt: skip
    producer.send(record.topic + DEAD, record.key, record.value, [*record.headers, *letter.headers()])
