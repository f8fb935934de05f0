"""Documents of ten groups, each of which may read its own; among them those of SciFact."""

import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from two_world.worlds import make_record

from indexers.publishing.index_store import IndexStore
from vouch.access import Audience, Directory, Permissions, Reader, Rule, RuleBook
from vouch.documents.document import DocumentRecord

GROUPS = 10
TEN_GROUPS = Permissions.settled(
    1, {"s": RuleBook(tuple(Rule(f"g{n}/**", frozenset({f"group:g{n}"})) for n in range(GROUPS)))}, Directory())
needs_scifact = pytest.mark.skipif("VOUCH_DATA" not in os.environ, reason="VOUCH_DATA names no folder with scifact")


def reader_of(groups: int) -> Audience:
    """Somebody in the first `groups` groups."""
    return Audience((Reader("all", frozenset(f"group:g{n}" for n in range(groups))),))


def read_scifact(rng: np.random.Generator) -> tuple[list[DocumentRecord], list[str]]:
    """Every document, in a group by chance, and every question."""
    folder = Path(os.environ["VOUCH_DATA"]) / "scifact"
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    records = [
        make_record("s", f"g{int(rng.integers(GROUPS))}/{row['_id']}.md", [(row["title"], [row["text"] or "none"])])
        for row in rows
    ]
    return records, [json.loads(line)["text"] for line in (folder / "queries.jsonl").open(encoding="utf-8")]


def publish_in_parts(store: IndexStore, records: Sequence[DocumentRecord]) -> None:
    """In two publishes, with vectors that tell nothing."""
    for start in range(0, len(records), 2600):
        store.publish(store.open_current(), changed=records[start : start + 2600], moved={}, removed=[], cursors={},
                      fingerprints={}, vectors=lambda keys: np.ones((len(keys), 4), np.float16))
