"""What `make test` leaves to other commands: forms of a test that differ from another one by a drawn world alone, or by
the transport that Slack tells events over."""

import os
from collections.abc import Sequence
from zlib import crc32

import pytest

TRANSPORTS = ("socket", "http")


def short() -> bool:
    return os.environ.get("VOUCH_TESTS_SHORT") == "1"


def one_transport(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Without those that another form of the same test has with the other transport; which one stays, its name tells.
    """
    return [item for item in items if _transport(item) in ("", _of(item))]


def _transport(item: pytest.Item) -> str:
    """Empty where it is given more places than the usual two, or none."""
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    chosen = [mark for mark in item.iter_markers("parametrize") if "place" in str(mark.args[0])]
    place = "" if chosen else str(params.get("place", ""))
    return place if place in TRANSPORTS else ""


def _of(item: pytest.Item) -> str:
    name = f"{item.path.name} {getattr(item, 'originalname', item.name)}"
    return TRANSPORTS[crc32(name.encode()) % 2]
