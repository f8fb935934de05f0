"""Bugs that a sweep could have; the tests of sweeps must find them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import indexers.publishing.sweep
from indexers.publishing.sweep import Swept
from vouch.ports.stores import VersionRow


@contextmanager
def _always(place: Path) -> Iterator[bool]:
    yield True


def ignores_pins() -> None:
    indexers.publishing.sweep.unpinned = _always                       # type: ignore[assignment]


def ignores_publishes() -> None:
    indexers.publishing.sweep.nobody_publishes = _always               # type: ignore[assignment]


def deletes_before_it_retires() -> None:
    """Only a kill tells."""
    whole = indexers.publishing.sweep._Sweep.run

    def run(self: indexers.publishing.sweep._Sweep, rows: Sequence[VersionRow], old: Sequence[int]) -> Swept:
        staying = {row.number for row in rows if row.state == "published"} - set(old)
        for number in old:
            with indexers.publishing.sweep.unpinned(self.files.folder(number)) as free:
                staying |= set() if free else {number}
        for folder in (self.files.segments, self.files.parts):
            self._delete_unless(self._named(staying), folder)
        return whole(self, rows, old)

    indexers.publishing.sweep._Sweep.run = run                         # type: ignore[method-assign]


PLANTS = {"ignores-pins": ignores_pins, "ignores-publishes": ignores_publishes,
          "deletes-before-it-retires": deletes_before_it_retires}
