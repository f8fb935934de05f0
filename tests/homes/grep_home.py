"""A search of a home that knows nothing of vouch: every byte of every file, nothing decoded."""

import json
import os
from collections.abc import Iterable
from pathlib import Path


def forms(word: str) -> set[bytes]:
    """A word as UTF-8, as JSON with escapes (also within JSON), and as UTF-16."""
    escaped = json.dumps(word)[1:-1]
    texts = {word, escaped, escaped.replace("\\", "\\\\")}
    return {t.encode() for t in texts} | {word.encode("utf-16-le"), word.encode("utf-16-be")}


def grep(home: Path, words: Iterable[str] = (), blobs: Iterable[bytes] = ()) -> list[str]:
    """'file: what' for everything found."""
    wanted = {form: word for word in words for form in forms(word)} | {blob: blob.hex()[:16] for blob in blobs}
    found = []
    for folder, _, files in os.walk(home):
        for name in files:
            path = Path(folder, name)
            data = path.read_bytes()
            found += [f"{path.relative_to(home)}: {what}" for form, what in wanted.items() if form in data]
    return sorted(set(found))
