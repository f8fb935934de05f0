"""HOME/golden.jsonl: a company's own questions with known answers. It holds words of documents, for its owner alone."""

import contextlib
import fcntl
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from flows.shared.home_files.folders import GOLDEN
from indexers.storage import disk_errors, replace_file
from vouch.errors import Damaged


def golden_file(home: Path) -> Path:
    return home / GOLDEN


def add_row(file: Path, row: Mapping[str, Any]) -> None:
    """The row is the last line, durably; a new file is its owner's alone. Raises Damaged for a link, Unavailable."""
    with _alone(file), disk_errors(file):
        held = file.read_bytes() if file.exists() else b""
        between = b"\n" if held and not held.endswith(b"\n") else b""
        _replace(file, held + between + json.dumps(row, ensure_ascii=False).encode() + b"\n")


def forget_golden(home: Path, of_it: Callable[[bytes], bool], paths: frozenset[str]) -> int:
    """Takes out the questions that hold words of purged documents, or quote from their paths; how many they were.

    A line that is no question goes with them: nobody can tell what it holds. Raises Damaged for a link, Unavailable.
    """
    file = golden_file(home)
    if not file.exists() and not file.is_symlink():
        return 0
    with _alone(file), disk_errors(file):
        lines = [line for line in file.read_bytes().splitlines() if line.strip()]
        left = [line for line in lines if not _of_it(line, of_it, paths)]
        if len(left) < len(lines):
            _replace(file, b"".join(line + b"\n" for line in left))
    return len(lines) - len(left)


def _of_it(line: bytes, of_it: Callable[[bytes], bool], paths: frozenset[str]) -> bool:
    try:
        texts = list(_texts(json.loads(line)))
    except (ValueError, RecursionError):
        return True
    return of_it(line) or any(text in paths or of_it(text.encode(errors="replace")) for text in texts)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        yield " ".join(value.split())
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Nobody else changes the file meanwhile."""
    if file.is_symlink():
        raise Damaged(f"{file} is a link: a purge would not reach what it points to",
                      cure="put the file itself in its place, or name it with --file")
    with disk_errors(file), (file.parent / f".{file.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _replace(file: Path, data: bytes) -> None:
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
    replace_file(file, data)
    file.chmod(mode)
