"""Paths that a person names: of the one source named, below its folder, and not of nothing."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from vouch.adapters.sources.kinds import kind_of
from vouch.errors import NotFound, Usage

if TYPE_CHECKING:
    from flows.shared.components import IngestComponents

_CURE = "name documents and folders as vouch documents shows them"


def checked_paths(
    components: "IngestComponents", names: Sequence[str], paths: Sequence[str] | None
) -> list[str] | None:
    """`paths` as the source calls them; None if none are named.

    Raises Usage for paths of no source, of several, or of one that is always
    looked at as a whole, and NotFound for one at which nothing is and nothing was.
    """
    if not paths:
        return None
    if len(names) != 1:
        raise Usage("paths are those of one source", cure="name it: vouch ingest SOURCE --path PATH")
    row = components.ledger.sources.get(names[0])
    if kind_of(row).files is None:
        raise Usage(f"source {row.name} is of kind {row.kind}, which is always read completely",
                    cure="leave out --path")
    root, version = Path(row.path), components.store.open_current(documents_only=True)
    known = version.known(row.name) if version is not None else {}
    wanted = [below(root, path) for path in paths]
    for path in wanted:
        there = (root / path).is_symlink() or (root / path).exists()
        if not (there or path in known or any(document.startswith(f"{path}/") for document in known)):
            raise NotFound(f"source {row.name} has no document and no folder {path}", cure=_CURE)
    return wanted


def below(root: Path, path: str) -> str:
    """A place on the disk, in the source's folder, becomes its path there. Raises Usage for one that is not in it."""
    place = PurePosixPath(path)
    if place.is_absolute() and place.is_relative_to(root):
        place = place.relative_to(root)
    if not path or "\0" in path or place.is_absolute() or ".." in place.parts or not place.parts:
        raise Usage(f"{path or 'an empty path'} is not in {root}", cure=_CURE)
    return place.as_posix()
