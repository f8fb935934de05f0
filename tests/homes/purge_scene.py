"""A paper that must be forgotten, through a short history: written, edited, moved, beside papers that stay."""

from pathlib import Path

from model_fakes.chunk_input import chunk_input

from flows.runs.purge import purge
from indexers.segments.segment import input_key

SHARED = "All papers of this office are kept for seven years and then destroyed."
SECRET = ["qzxsalary", "qzxbonus", "qzxpräsident", "qzxoverdraft"]
FIRST = f"""---
title: The qzxsalary of the board
---
# Pay

{SHARED}

The "qzxsalary" of the qzxpräsident is four hundred thousand a year, paid monthly in advance.

## Extras

A qzxbonus is paid in June to whoever asks for it in writing before May has ended.
"""
SECOND = FIRST.replace("A qzxbonus is paid", "A qzxoverdraft is granted")
OTHER = f"# Archive\n\n{SHARED}\n\nThe archive opens at nine and closes at four.\n"
PLACE = ("docs", "board/pay.md")
QUOTE = SECOND[SECOND.index("The") : SECOND.index("advance")]
LEAVE = "# Leave\n\nEverybody has {} days of leave.\n"


def ingest_history(bench, root: Path) -> None:
    """Four versions; the paper is docs:pay.md, then docs:board/pay.md."""
    (root / "board").mkdir(parents=True)
    (root / "pay.md").write_text(FIRST)
    (root / "archive.md").write_text(OTHER)
    (root / "leave.md").write_text(LEAVE.format("thirty"))
    bench.folder("docs", root)
    bench.ingest()
    (root / "pay.md").write_text(SECOND)
    bench.ingest()
    (root / "pay.md").rename(root / "board" / "pay.md")
    bench.ingest()
    (root / "leave.md").write_text(LEAVE.format("forty"))
    bench.ingest()


def run(bench, place=PLACE, **options):
    return purge(bench.components, place, **{"with_copies": False} | options)


def texts(bench, number: int) -> dict[str, str]:
    version = bench.components.store.open(number)
    return {h.path: version.record(*h.place).text for h in version.documents()}


def blobs_of(bench) -> list[bytes]:
    """The vector and the key of every passage of the paper, in any version."""
    found = set()
    for row in bench.ledger.versions.rows():
        version = bench.components.store.open(row.number)
        for header in version.documents():
            if "pay" in header.path:
                record = version.record(*header.place)
                found |= {chunk_input(record.text, c) for c in record.chunks}
    rows = bench.encoder.passages(sorted(found)).astype("<f2")
    return [row.tobytes() for row in rows] + [input_key(text) for text in found]
