"""What knows the addresses of pages."""

from collections.abc import Sequence
from typing import Protocol


class SearchEngine(Protocol):
    """Finds pages for a few words."""

    def addresses(self, query: str, top: int, until: float) -> Sequence[str]:
        """At most `top` addresses as strangers wrote them, best first; none is an answer, too.

        Raises WebDown, by `until` of `time.monotonic` at the latest.
        """
        ...
