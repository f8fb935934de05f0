"""The key of an index row: a digest of the exact text that was embedded and analysed."""

import hashlib

KEY_BYTES = 16


def input_key(text: str) -> bytes:
    """16 bytes; equal for equal model inputs, whatever document they stand in."""
    return hashlib.sha256(text.encode()).digest()[:KEY_BYTES]
