"""Places as people read them: a path, and where in the document to look."""

import re
from pathlib import PurePosixPath

from vouch.documents.formats import places_of

_EXPORTED = re.compile(r" [0-9a-f]{32}(?=\.[^./]{1,12}\Z|/|\Z)")


def where(path: str, lines: tuple[int, int], page: int | None) -> str:
    """`page 2`, `line 3` or `lines 3-5`; empty for a document that has neither, such as a web page."""
    if page is not None:
        return f"page {page}"
    if places_of(path) != "lines":
        return ""
    first, last = lines
    return f"line {first}" if first == last else f"lines {first}-{last}"


def shown_path(path: str) -> str:
    """`path` without the 32 digits that exports of Notion put behind every name."""
    return _EXPORTED.sub("", path)


def shown_title(title: str, path: str) -> str:
    """The title on one line, or the file's name if there is none."""
    return shown_path(" ".join(title.split())) or shown_path(PurePosixPath(path).name)
