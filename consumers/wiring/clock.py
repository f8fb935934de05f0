"""The time that all parts of a process are given."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)
