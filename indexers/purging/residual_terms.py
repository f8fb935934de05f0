"""Which of some terms the index still knows, found in the files as they lie there, whatever names them."""

from collections.abc import Collection, Iterator
from itertools import pairwise
from pathlib import Path

from indexers.storage.arrays import map_array, map_bytes


def terms_left(home: Path, terms: Collection[str]) -> Iterator[tuple[str, int]]:
    """Each file that holds some of `terms`, and how many."""
    wanted = {term.encode() for term in terms}
    for path in sorted((home / "segments").glob("*/terms.bin")) if wanted else ():
        ends = map_array(path.with_name("term_ends.i8")).tolist()
        blob = bytes(map_bytes(path))
        count = len(wanted.intersection(blob[start:end] for start, end in pairwise(ends)))
        if count:
            yield str(path.relative_to(home)), count
