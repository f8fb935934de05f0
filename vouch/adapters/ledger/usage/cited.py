"""Which documents answers cite."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

Place = tuple[str, str]                 # source, path


def documents_of(citations: Iterable[Iterable[Mapping[str, Any]]]) -> Counter[Place]:
    """The citations of each answer → each document, and in how many answers it is cited; of the web none."""
    found = Counter[Place]()
    for one in citations:
        found.update({(str(c["source"]), str(c["path"])) for c in one if c.get("origin") != "external"})
    return found
