"""How far an ingest goes."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extent:
    """Everything at once, unless something is said.

    `until` is how far of each source, `step` how much of it each version takes; `paths`, of one source, are those
    said to have changed, and a source that can looks at no others. `allow_removals`: also if many documents go.
    """

    until: int | None = None
    step: int | None = None
    paths: Sequence[str] | None = None
    allow_removals: bool = False


WHOLE = Extent()
