"""Turns the failures of Prefect and what it is made of into ours."""

import contextlib
from collections.abc import Iterator

from vouch.errors import Unavailable

_PARTS = frozenset({"prefect", "httpx", "httpcore"})


@contextlib.contextmanager
def as_ours(cure: str) -> Iterator[None]:
    """Inside, Prefect not answering becomes Unavailable with `cure`; all other errors stay what they are."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] in _PARTS or "Failed to reach API" in str(error):
            raise Unavailable(f"Prefect does not answer: {type(error).__name__}: {error}", cure=cure) from error
        raise
