"""The real parsing child, whose answers tell what it was given instead of what a document says."""

from typing import Any

from hostile_files.odd_child import state
from vouch.adapters.sandbox import child


class _Telling:
    def __init__(self, *_: Any) -> None:
        pass

    def answer(self, header: dict[str, Any], data: bytes) -> tuple[bytes, bool]:
        return state(header["number"]), True


if __name__ == "__main__":
    child._Work = _Telling  # type: ignore[misc,assignment]
    child.main()
