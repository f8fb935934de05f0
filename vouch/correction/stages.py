"""The stages of the loop in the order they are gone through, and when each began."""

from collections.abc import Mapping
from typing import NamedTuple

ORDER = ("retrieve", "fuse", "expand", "rerank", "evaluate", "steps", "outside", "refine", "pack", "write", "verify")


class StageTime(NamedTuple):
    """Milliseconds; `since`: from the beginning."""

    stage: str
    since: float
    ms: float


def waterfall(timings_ms: Mapping[str, float]) -> list[StageTime]:
    """Each stage begins where the one before ended; what lies between them and the total is the last, `other`."""
    place = {name: number for number, name in enumerate(ORDER)}
    stages = sorted((name for name in timings_ms if name != "total"), key=lambda name: place.get(name, len(ORDER)))
    found, reached = [], 0.0
    for name in stages:
        found.append(StageTime(name, round(reached, 2), timings_ms[name]))
        reached += timings_ms[name]
    rest = round(timings_ms.get("total", reached) - reached, 2)
    return [*found, StageTime("other", round(reached, 2), rest)] if rest > 0 else found
