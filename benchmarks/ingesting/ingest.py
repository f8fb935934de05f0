"""How near a whole ingest comes to the encoder alone: parse, chunk, embed and publish against embedding.

    .venv/bin/python benchmarks/ingesting/ingest.py

Documents are made of the sections of examples/handbook. Each round ingests all
of them into an empty home without Prefect. Every batch is embedded a second
time right after the ingest had it embedded: those seconds are the encoder's
alone, and not the ingest's. Measured side by side, a machine that is slower
for a while is slower for both. Loading the model is in neither.
"""

import argparse
import gzip
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.report import Report
from flows.runs.run import ingest_direct
from flows.wiring.ingesting import build_components, build_encoder
from vouch.adapters.ledger import SourceRow, open_ledger
from vouch.ports.models import Encoder

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook" / "events.jsonl.gz"
LEAST = 0.90


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=600)
    parser.add_argument("--characters", type=int, default=4000, help="of each document, about")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    report = Report(f"Ingest of {options.documents} documents against the encoder alone")
    report.table(["round", "chunks", "ingest s", "encoder alone s", "ratio"])
    ratios = []
    with tempfile.TemporaryDirectory() as place:
        write_documents(Path(place) / "documents", options.documents, options.characters)
        for n in range(options.rounds):
            taken = ingest(Path(place), str(n))
            ratios.append(taken.alone / taken.seconds)
            report.line(n + 1, taken.texts, f"{taken.seconds:.1f}", f"{taken.alone:.1f}", f"{ratios[-1]:.3f}")
    report.table(["median of the rounds", f"≥ {LEAST:.2f}"])
    report.line(f"{np.median(ratios):.3f}", checks=[float(np.median(ratios)) >= LEAST])
    report.end()


class Twice:
    """An encoder that embeds what it is given a second time, for the clock."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.texts, self.alone, self.seconds = 0, 0.0, 0.0

    def __getattr__(self, name: str) -> object:
        return getattr(self._encoder, name)

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        vectors = self._encoder.passages(texts)
        start = time.perf_counter()
        again = self._encoder.passages(texts)
        self.alone += time.perf_counter() - start
        self.texts += len(texts)
        assert np.array_equal(vectors, again)
        return vectors


def ingest(place: Path, name: str) -> Twice:
    """One whole ingest into a new home, in `seconds`; the same texts took the encoder `alone` seconds."""
    home = place / name
    home.mkdir()
    os.environ["VOUCH_HOME"] = str(home)
    ledger = open_ledger(home / "ledger.sqlite")
    ledger.sources.add(SourceRow("handbook", "folder", str(place / "documents"), None))
    ledger.close()
    encoder = build_encoder()
    encoder.passages(["warm"])
    twice = Twice(encoder)
    start = time.perf_counter()
    components = replace(build_components(), encoder=lambda: twice)
    ingest_direct(components, ["handbook"], done=lambda report: None)
    twice.seconds = time.perf_counter() - start - twice.alone
    components.vectors.close()
    components.ledger.close()
    return twice


def write_documents(folder: Path, count: int, characters: int) -> None:
    """Markdown files, each of sections drawn from the handbook until it is long enough."""
    with gzip.open(HANDBOOK, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line).get("text") or "" for line in lines]
    sections = sorted({part for text in texts for part in re.split(r"(?m)^(?=## )", text)[1:]})
    folder.mkdir(parents=True)
    rng = random.Random(11)
    for n in range(count):
        text = f"---\ntitle: Paper {n}\n---\n\n"
        while len(text) < characters:
            text += shuffled(rng, rng.choice(sections)) + "\n"
        (folder / f"{n}.md").write_text(text, encoding="utf-8")


def shuffled(rng: random.Random, section: str) -> str:
    """The section with the words of each line in another order, so that no two documents share a passage."""
    def line(match: re.Match[str]) -> str:
        words = match[2].split(" ")
        return match[1] + " ".join(rng.sample(words, len(words)))

    return re.sub(r"(?m)^([ \t]*(?:[*+>-]|\d+\.|#+)?[ \t]*)(.*)$", line, section)


if __name__ == "__main__":
    main()
