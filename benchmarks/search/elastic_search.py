"""How long searches by words take on Elasticsearch, against the embedded posting lists, and how fast labels follow.

    make services
    VOUCH_LEXICAL__URL=http://127.0.0.1:PORT .venv/bin/python benchmarks/search/elastic_search.py --chunks 20000

`first` is a question some of whose words were never counted for this audience,
which takes two requests; `again` is the same question once more, which takes
one. Both engines search one and the same version; hits must be equal in score
to within 1e-4. Then rows are published that the reader may not see, and the
lists compared bit by bit; then half of the rows get another label.
"""

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.report import p50, p95
from benchmarks.search.both_engines import both_engines, questions_of, same_scores, timed
from benchmarks.search.corpus import SOURCE, Corpus, audience
from indexers.publishing.index_store import IndexStore
from vouch.access import Rule, RuleBook
from vouch.documents.chunk import chunk_id

SHARES = (1, 10, 50, 100)
TOP = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(Path(scratch), Corpus(options.chunks, dimensions=8), options.questions)


def measure(home: Path, corpus: Corpus, count: int) -> None:
    both = both_engines(home, corpus)
    held, served = both.held, both.store
    version = served.open_current()
    assert version is not None
    dead = len(version.rows.live) - int(np.count_nonzero(version.rows.live))
    taken = timed(served.catch_up)
    print(f"{corpus.chunks:,} rows in {len(version.segments)} segments, {dead} dead; written in {taken:.1f} s "
          f"({corpus.chunks / taken:,.0f} a second), an ingest without changes looks in {timed(served.catch_up):.2f} s")
    questions = questions_of(corpus, count)
    print("visible %   embedded p50 p95   first p50 p95   again p50 p95   ms")
    for share in SHARES:
        reader = audience(share)
        here, there = (index.view(reader) for index in (both.embedded, both.served))
        runs = []
        for view in (here, there, there):
            runs.append([timed(lambda view=view, terms=terms: view.lexical(terms, TOP)) * 1000 for terms in questions])
        for terms in questions[:20]:
            assert same_scores(there.lexical(terms, TOP), here.lexical(terms, TOP))
        print(f"{share:9}   " + "   ".join(f"{p50(run):6.1f} {p95(run):6.1f}" for run in runs))
    both.engine.wait()
    reader = audience(50)
    before = [both.served.view(reader).lexical(terms, TOP) for terms in questions]
    hide(served, corpus, 600)
    changed = sum(both.served.view(reader).lexical(terms, TOP) != hits
                  for terms, hits in zip(questions, before, strict=True))
    print(f"3,000 more rows that the reader of 50 % may not see changed {changed} of {count} lists, bit by bit")
    both.engine.wait()
    rules = [Rule(f"g{n}/**", frozenset({"group:new"})) for n in range(50)]
    held.held = replace(held.held, epoch=held.held.epoch + 1, rulebooks={
        SOURCE: RuleBook((*held.held.rulebooks[SOURCE].rules, *rules))})
    view = both.served.view(audience(100))
    during = [timed(lambda terms=terms: view.lexical(terms, TOP)) * 1000 for terms in questions]
    print(f"labels of half of the rows changed: followed in {timed(both.follow):.1f} s more; "
          f"searches meanwhile p50 {p50(during):.1f} p95 {p95(during):.1f} ms")


def hide(store: IndexStore, corpus: Corpus, documents: int) -> None:
    """Publishes so many more documents, of words the others use, where nobody may read them."""
    records = []
    for number in range(documents):
        record = corpus.record(number % corpus.documents, draft=True)
        path = f"hidden/{number}.md"
        chunks = tuple(
            replace(c, id=chunk_id(SOURCE, path, (), record.text[c.start : c.end], 0)) for c in record.chunks)
        records.append(replace(record, path=path, chunks=chunks))
    base = store.open_current()
    assert base is not None
    store.publish(base, changed=records, moved={}, removed=[], cursors={}, fingerprints=base.manifest.fingerprints,
                  vectors=lambda keys: np.ones((len(keys), corpus.dimensions), np.float16))


if __name__ == "__main__":
    main()
