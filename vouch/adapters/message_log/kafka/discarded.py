"""Which messages of a topic somebody has done with. Kafka forgets only what lies before an offset, so single ones are
marked: in the metadata of the offsets of a group that nobody joins."""

from collections.abc import Mapping, Sequence
from typing import Any

from kafka import OffsetAndMetadata, errors

from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.errors import Guarded

GROUP = "vouch-discarded"
_MOST = 4_000                           # brokers take 4,096 characters


class Discarded:
    def __init__(self, place: KafkaConnection, admin: Any) -> None:
        self._place = place
        self._group = place.group(GROUP)
        self._admin = admin

    def of(self, places: Sequence[Any]) -> dict[Any, set[int]]:
        """Offsets marked, per partition. What lies before the first message of a partition is not among them."""
        known = self._known(places)
        return {place: _offsets(known[place].metadata) if place in known else set() for place in places}

    def add(self, wanted: Mapping[Any, set[int]], first: Mapping[Any, int]) -> None:
        """Marks `wanted`; what lies before the first message that is not marked is deleted by the broker."""
        known = self._known(list(wanted))
        marks: dict[Any, Any] = {}
        for partition, offsets in wanted.items():
            before = _offsets(known[partition].metadata) if partition in known else set()
            left = {offset for offset in before | offsets if offset >= first[partition]}
            floor = first[partition]
            while floor in left:
                left.discard(floor)
                floor += 1
            marks[partition] = OffsetAndMetadata(floor, _text(left), -1)
        self._place.patiently(lambda: self._mark(marks))
        cut = {partition: mark.offset for partition, mark in marks.items() if mark.offset > first[partition]}
        if cut:
            self._admin.delete_records(cut)

    def _mark(self, marks: dict[Any, Any]) -> None:
        for place, error in self._admin.alter_group_offsets(self._group, marks).items():
            if error is not errors.NoError:
                raise error(f"marking messages of {place.topic}")

    def _known(self, places: Sequence[Any]) -> dict[Any, Any]:
        wanted = {self._group: list(places)}
        found: dict[Any, Any] = self._place.patiently(lambda: self._admin.list_group_offsets(wanted))
        return dict(found[self._group])


def _text(offsets: set[int]) -> str:
    """Ranges like 5-9,12. Raises Guarded when there are more gaps than Kafka keeps."""
    ranges: list[list[int]] = []
    for offset in sorted(offsets):
        if ranges and offset == ranges[-1][1] + 1:
            ranges[-1][1] = offset
        else:
            ranges.append([offset, offset])
    text = ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
    if len(text) > _MOST:
        raise Guarded("too many single messages were picked out of one partition", cure="take the oldest ones first")
    return text


def _offsets(text: str) -> set[int]:
    found: set[int] = set()
    for piece in filter(None, text.split(",")):
        first, _, last = piece.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found
