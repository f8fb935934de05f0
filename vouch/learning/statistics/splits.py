"""Which data a model learns from, is calibrated on, and is judged by: the same for every model.

A split depends on names alone, so data that grows keeps its old members
where they were, and no later model is judged on what an earlier one learned.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Literal

Split = Literal["train", "calibration", "test"]
_SHARES: tuple[tuple[Split, float], ...] = (("train", 0.6), ("calibration", 0.2), ("test", 0.2))


def split_of(name: str) -> Split:
    """60 % train, 20 % calibration, 20 % test, by sha256 of an article, title or question; case and space ignored."""
    digest = hashlib.sha256(f"vouch {' '.join(name.casefold().split())}".encode()).digest()
    point = int.from_bytes(digest[:8], "big") / 2**64
    for split, share in _SHARES:
        point -= share
        if point < 0:
            return split
    return "test"


def united(groups: Iterable[Sequence[str]]) -> list[str]:
    """For each group of names the smallest name it is tied to, through any chain of shared names.

    Questions whose passages share an article so land in one split.
    """
    groups = [list(group) for group in groups]
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for group in groups:
        for name in group[1:]:
            first, second = sorted((root(group[0]), root(name)))
            parent[second] = first
    return [root(group[0]) if group else "" for group in groups]
