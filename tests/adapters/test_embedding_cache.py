"""The vector cache: nothing put is computed again, through kills and between processes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vouch.adapters.embedding_cache import EmbeddingCache
from vouch.errors import BadInput, Damaged, NotFound

KEYS = [bytes([n]) * 16 for n in range(5)]
VECTORS = np.linspace(-1, 1, 20, dtype=np.float32).reshape(5, 4)


def cache(path: Path, encoder: str = "one") -> EmbeddingCache:
    return EmbeddingCache(path / "embeddings.sqlite", encoder, 4)


def test_what_was_put_is_found_in_the_order_asked(tmp_path: Path) -> None:
    held = cache(tmp_path)
    assert held.missing([KEYS[1], KEYS[0], KEYS[1]]) == [KEYS[1], KEYS[0]]
    held.put(KEYS[:3], VECTORS[:3])
    assert held.missing(KEYS) == KEYS[3:]
    got = cache(tmp_path).get([KEYS[2], KEYS[0], KEYS[2]])
    assert got.dtype == np.float16
    assert np.array_equal(got, VECTORS[[2, 0, 2]].astype(np.float16))


def test_vectors_belong_to_one_encoder(tmp_path: Path) -> None:
    cache(tmp_path).put(KEYS, VECTORS)
    assert cache(tmp_path, "two").missing(KEYS) == KEYS
    with pytest.raises(NotFound, match="5 of 5"):
        cache(tmp_path, "two").get(KEYS)


def test_a_key_keeps_its_first_vector(tmp_path: Path) -> None:
    held = cache(tmp_path)
    held.put(KEYS[:1], VECTORS[:1])
    held.put(KEYS[:1], VECTORS[1:2])
    assert np.array_equal(held.get(KEYS[:1]), VECTORS[:1].astype(np.float16))


@pytest.mark.parametrize("vectors", [VECTORS[:2], VECTORS[:, :3], np.full((5, 4), np.nan, np.float32)])
def test_vectors_that_cannot_be_right_are_refused(tmp_path: Path, vectors: np.ndarray) -> None:
    with pytest.raises(BadInput):
        cache(tmp_path).put(KEYS, vectors)
    assert cache(tmp_path).missing(KEYS) == KEYS


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "embeddings.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(Damaged, match="delete the file"):
        cache(tmp_path).missing(KEYS)


def test_a_killed_process_loses_nothing_it_had_put(tmp_path: Path) -> None:
    program = f"""
import os, numpy as np
from pathlib import Path
from vouch.adapters.embedding_cache import EmbeddingCache
held = EmbeddingCache(Path({str(tmp_path / "embeddings.sqlite")!r}), "one", 4)
for n in range(5):
    held.put([bytes([n]) * 16], np.full((1, 4), n, np.float32))
os.kill(os.getpid(), 9)
"""
    other = cache(tmp_path)
    other.put([b"x" * 16], VECTORS[:1])                     # a second process holds the file open meanwhile
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ}, cwd=Path.cwd(), check=False)
    assert done.returncode == -9
    assert np.array_equal(other.get(KEYS)[:, 0], np.arange(5))
