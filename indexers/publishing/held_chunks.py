"""Which chunks there still are: those that some kept version holds."""

from collections.abc import Collection

import numpy as np

from indexers.publishing.index_store import IndexStore
from vouch.errors import Damaged, NotFound

_CURE = "vouch doctor says what is wrong; put it right, then import again"


def held_chunks(index: IndexStore, chunk_ids: Collection[str]) -> set[str]:
    """Those of these ids that a kept version holds. Raises NotFound before the first version, Damaged."""
    if index.versions.current() is None:
        raise NotFound("there is no index yet, so nothing to judge", cure="vouch ingest makes one; then import again")
    wanted = np.array([list(raw) for raw in {_raw(one) for one in chunk_ids} if raw], np.uint8).reshape(-1, 16)
    held_ids = set[str]()
    for number in _kept(index):
        try:
            chunks = index.open(number, documents_only=True).chunks
        except (NotFound, Damaged) as error:
            if number not in _kept(index):                  # it was swept since it was listed
                continue
            raise Damaged(f"version {number} cannot be opened: {error.cause}", cure=error.cure or _CURE) from error
        held_ids.update(chunks.hex_id(int(one)) for one in chunks.find_all(wanted))
    return held_ids


def _kept(index: IndexStore) -> list[int]:
    return [row.number for row in index.versions.rows() if row.state == "published"]


def _raw(chunk_id: str) -> bytes:
    """16 bytes, none for what is the id of no chunk."""
    try:
        raw = bytes.fromhex(chunk_id)
    except ValueError:
        return b""
    return raw if len(raw) == 16 and raw.hex() == chunk_id else b""
