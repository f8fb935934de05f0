"""How fast labels in Elasticsearch follow a change of rules that half of all rows feel.

    make services
    VOUCH_LEXICAL__URL=http://127.0.0.1:PORT .venv/bin/python benchmarks/search/elastic_labels.py --chunks 400000

Every second document of each group gets another label. Searches go on
meanwhile, each compared with the embedded posting lists.
"""

import argparse
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.report import p50, p95
from benchmarks.search.both_engines import both_engines, questions_of, same_scores, timed
from benchmarks.search.corpus import SOURCE, Corpus, audience
from vouch.access import Rule


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(Path(scratch), Corpus(options.chunks, dimensions=8))


def measure(home: Path, corpus: Corpus) -> None:
    both = both_engines(home, corpus)
    held, engine = both.held, both.engine
    taken = timed(both.store.catch_up)
    print(f"{corpus.chunks:,} rows written at {corpus.chunks / taken:,.0f} a second", flush=True)
    questions = questions_of(corpus, 100)
    rules = held.held.rulebooks[SOURCE]
    moved = [Rule(f"g*/*{digit}??.md", frozenset({"group:g0", "group:g1"})) for digit in range(0, 10, 2)]
    held.held = replace(held.held, epoch=2, rulebooks={SOURCE: replace(rules, rules=(*rules.rules, *moved))})
    version = both.served.version()
    stopped, times, wrong = threading.Event(), [], []

    def search() -> None:
        while not stopped.is_set():
            terms = questions[len(times) % len(questions)]
            here, there = (index.view(audience(50)) for index in (both.embedded, both.served))
            start = time.perf_counter()
            found = there.lexical(terms, 100)
            times.append(1000 * (time.perf_counter() - start))
            if not same_scores(found, here.lexical(terms, 100)):
                wrong.append(terms)
            stopped.wait(0.5)

    start = time.perf_counter()
    both.served.follow()
    searching = threading.Thread(target=search)
    searching.start()
    engine.wait()
    taken = time.perf_counter() - start
    stopped.set()
    searching.join()
    states = [engine._notes.read(place.note, place.rows) for place in engine._places(version)]
    labeled = sum(int(np.count_nonzero(note.of_row >= 100)) for note in states)
    print(f"{labeled:,} rows labeled anew in {taken:.1f} s ({labeled / taken:,.0f} a second); meanwhile "
          f"{len(times)} searches of a reader of half of all, {len(wrong)} wrong, "
          f"p50 {p50(times):.0f} p95 {p95(times):.0f} ms")
    assert not wrong


if __name__ == "__main__":
    main()
