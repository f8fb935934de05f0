"""How long one search takes, against FAISS with a selector alone and tantivy with a filter, by share of visible chunks.

    make bench-tools && .venv/bin/python benchmarks/search/index_search.py

tantivy is of the dependency group `bench`, which `make setup` leaves out and
`make bench-tools` installs. All run in this process, one thread each, question by question in turn.
`both` is a whole question: the look at the pointer and at what the reader may
see, then the two searches; the encoding of the question is not part of it.
Times are of the wall, so the machine should be quiet; `--cpu` compares the
processor time of the thread instead, on a busy one.
"""

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.report import Report, p50, p95
from benchmarks.search.comparisons import FaissAlone, Oracle, TantivyFiltered, agree, recall
from benchmarks.search.corpus import Corpus, GroupPermissions, audience, open_store
from indexers.live_index import LiveIndex
from vouch.values.candidate import Hit

SHARES = (1, 10, 50, 100)
KINDS = ("nine words", "six common words")
TOP = 100
MOST_LEXICAL, MOST_DENSE, MOST_BOTH_MS = 3.0, 1.5, 20.0
CHECKED = 20                            # questions per line that are compared with brute force


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=200_000)
    parser.add_argument("--questions", type=int, default=100, help="of each kind")
    parser.add_argument("--rounds", type=int, default=5, help="how often each question is asked")
    parser.add_argument("--cpu", action="store_true", help="processor time instead of wall time")
    parser.add_argument("--home", type=Path, help="where the index is made, and found again by the next run")
    options = parser.parse_args()
    if find_spec("tantivy") is None:
        sys.exit("tantivy is not installed: make bench-tools")
    corpus = Corpus(options.chunks)
    report = Report(f"Search over {options.chunks:,} chunks")
    with tempfile.TemporaryDirectory() as scratch:
        home = options.home or Path(scratch) / "home"
        corpus.publish(home)
        race = Race(corpus, home, Path(scratch), time.thread_time if options.cpu else time.perf_counter)
        opened, looked = race.first_looks()
        print(f"\n{len(race.index.version().segments)} segments of {[s.rows for s in race.index.version().segments]} "
              f"rows against one of each rival. {options.questions} questions of each kind, {options.rounds} times, "
              f"the best {TOP}; {'processor' if options.cpu else 'wall'} time. Before the first question the version "
              f"was opened and compared with its checksums in {opened:.2f} s, and the labels of "
              f"{corpus.documents:,} documents computed in {looked:.2f} s.")
        taken = {(kind, share): race.run(kind, share, options.questions, options.rounds)
                 for share in SHARES for kind in KINDS}
        tell_times(report, taken)
        tell_truth(report, race, options.questions)
    report.end()


class Race:
    """Four engines over one corpus."""

    def __init__(self, corpus: Corpus, home: Path, scratch: Path, clock: Callable[[], float]) -> None:
        self.corpus = corpus
        self.index = LiveIndex(open_store(home), GroupPermissions())
        self.faiss = FaissAlone(corpus)
        self.tantivy = TantivyFiltered(corpus, scratch / "tantivy", SHARES[:-1])
        self._clock = clock

    def first_looks(self) -> tuple[float, float]:
        """Seconds to open the version, and to find out what somebody may read of it."""
        start = self._clock()
        self.index.version()
        opened = self._clock()
        self.index.view(audience(10))
        return opened - start, self._clock() - opened

    def run(self, kind: str, share: int, questions: int, rounds: int) -> dict[str, list[float]]:
        """Milliseconds of every question by engine."""
        self.faiss.prepare(self.corpus.group_of_chunk < share)
        self.tantivy.prepare(share)
        asked = self.words(kind, questions)
        vectors = self.corpus.question_vectors(questions)
        taken: dict[str, list[float]] = defaultdict(list)
        for n in range(-len(asked), rounds * len(asked)):               # a first round to warm up
            terms, vector = asked[n % len(asked)], vectors[n % len(asked)]
            start = self._clock()
            view = self.index.view(audience(share))
            spent = {"view": self._clock() - start}
            work = {
                "lexical": lambda view=view, terms=terms: view.lexical(terms, TOP),
                "tantivy": lambda terms=terms: self.tantivy.search(terms, TOP),
                "dense": lambda view=view, vector=vector: view.dense(vector, TOP),
                "faiss": lambda vector=vector: self.faiss.search(vector, TOP),
            }
            names = list(work)
            for name in names[n % 4 :] + names[: n % 4]:
                start = self._clock()
                work[name]()
                spent[name] = self._clock() - start
            spent["both"] = spent["view"] + spent["lexical"] + spent["dense"]
            for name in spent if n >= 0 else ():
                taken[name].append(spent[name] * 1e3)
        return taken

    def words(self, kind: str, questions: int) -> list[list[str]]:
        return [[self.corpus.names[w] for w in words] for words in self.corpus.questions(kind, questions)]

    def lexical(self, share: int, terms: Sequence[str]) -> list[Hit]:
        return self.index.view(audience(share)).lexical(terms, TOP)

    def dense(self, share: int, vector: np.ndarray) -> list[Hit]:
        return self.index.view(audience(share)).dense(vector, TOP)


def tell_times(report: Report, taken: dict[tuple[str, int], dict[str, list[float]]]) -> None:
    report.table(["visible, question", "lexical p50 / p95 ms", "tantivy", "ratio p50 / p95", "view p95", "both p95 ms",
                  f"ratios ≤ {MOST_LEXICAL:.0f}, both ≤ {MOST_BOTH_MS:.0f} ms"])
    for (kind, share), times in taken.items():
        ratios = ratios_of(times["lexical"], times["tantivy"])
        both = p95(times["both"])
        report.line(f"{share} %, {kind}", pair(times["lexical"]), pair(times["tantivy"]),
                    f"{ratios[0]:.2f} / {ratios[1]:.2f}", f"{p95(times['view']):.2f}", f"{both:.1f}",
                    checks=[max(ratios) <= MOST_LEXICAL, both <= MOST_BOTH_MS])
    report.table(["visible", "dense p50 / p95 ms", "FAISS", "ratio p50 / p95", f"ratios ≤ {MOST_DENSE}"])
    for share in SHARES:
        ours, faiss = ([t for kind in KINDS for t in taken[kind, share][name]] for name in ("dense", "faiss"))
        ratios = ratios_of(ours, faiss)
        report.line(f"{share} %", pair(ours), pair(faiss), f"{ratios[0]:.2f} / {ratios[1]:.2f}",
                    checks=[max(ratios) <= MOST_DENSE])


def ratios_of(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    return p50(ours) / p50(theirs), p95(ours) / p95(theirs)


def pair(times: Sequence[float]) -> str:
    return f"{p50(times):.2f} / {p95(times):.2f}"


def tell_truth(report: Report, race: Race, questions: int) -> None:
    """Compares hits with brute force over the words and vectors the corpus was made of."""
    oracle = Oracle(race.corpus)
    number = {chunk_id: n for n, chunk_id in enumerate(race.corpus.chunk_ids())}
    checked = min(CHECKED, questions)
    report.table(["visible", f"{2 * checked} questions with brute force's BM25 scores", "dense recall@10",
                  "all, and 1"])
    for share in SHARES:
        visible = race.corpus.group_of_chunk < share
        right = 0
        for kind in KINDS:
            asked = race.corpus.questions(kind, questions)[:checked]
            for words, terms in zip(asked, race.words(kind, questions), strict=False):
                hits = [(number[h.chunk_id], h.score) for h in race.lexical(share, terms)]
                right += agree(hits, oracle.bm25(words, visible), TOP, 1e-6)
        shares = [recall([number[h.chunk_id] for h in race.dense(share, vector)[:10]],
                         oracle.inner_products(vector, visible), 10)
                  for vector in race.corpus.question_vectors(questions)[:checked]]
        report.line(f"{share} %", f"{right} of {2 * checked}", f"{np.mean(shares):.3f}",
                    checks=[right == 2 * checked, min(shares) == 1.0])


if __name__ == "__main__":
    main()
