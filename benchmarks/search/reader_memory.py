"""How much memory a process takes that reads a version: opens it, searches both ways, shows passages.

    .venv/bin/python benchmarks/search/reader_memory.py

The reader is a fresh process that answers questions of four audiences, which
touch every vector. Counted is all of its resident memory, at the end and at
its highest: interpreter and libraries, what it allocated, and the pages of
mapped files it touched, which several readers on one machine would share. No
model is loaded.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.report import Report
from benchmarks.search.corpus import Corpus, GroupPermissions, audience, open_store
from indexers.live_index import LiveIndex

MOST = 1.5
MB = 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=200_000)
    parser.add_argument("--per-document", type=int, default=5, help="chunks in each document")
    parser.add_argument("--home", type=Path, help="where the index is made, and found again by the next run")
    options = parser.parse_args()
    corpus = Corpus(options.chunks, options.per_document)
    report = Report(f"Memory of a reader of {options.chunks:,} chunks in {corpus.documents:,} documents")
    with tempfile.TemporaryDirectory() as scratch:
        home = options.home or Path(scratch)
        corpus.publish(home)
        words = [str(n) for n in (options.chunks, options.per_document)]
        done = subprocess.run([sys.executable, __file__, "--read", str(home), *words],
                              check=True, capture_output=True, text=True)
        files = sum(file.size for folder in _folders(home) for file in folder.files)
    used = {name: int(value) for name, value in (line.split() for line in done.stdout.splitlines())}
    report.table(["files of the version MB", "resident MB", "of it private", "of it mapped files", "highest",
                  "highest / files", f"≤ {MOST}"])
    highest = max(used["highest"], used["Rss"])
    shown = [files, used["Rss"], used["private"], used["Rss"] - used["Anonymous"], highest]
    report.line(*(f"{number / MB:.0f}" for number in shown), f"{highest / files:.2f}",
                checks=[highest <= MOST * files])
    report.end()


def _folders(home: Path) -> list:
    store = open_store(home)
    manifest = store.manifest(store.versions.current())
    return [*manifest.segments, *manifest.parts]


def read(home: Path, corpus: Corpus) -> None:
    """The life of a reader; prints what it holds in bytes."""
    index = LiveIndex(open_store(home), GroupPermissions())
    count = 50
    for kind in ("nine words", "six common words"):
        asked = zip(corpus.questions(kind, count), corpus.question_vectors(count), strict=True)
        for n, (words, vector) in enumerate(asked):
            view = index.view(audience((1, 10, 50, 100)[n % 4]))
            hits = view.lexical([corpus.names[w] for w in words], 100) + view.dense(vector, 100)
            view.passages([hit.chunk_id for hit in hits[:: 10]])
    held = {**_kilobytes("smaps_rollup"), **_kilobytes("status")}
    print("Rss", held["Rss"] * 1024)
    print("Anonymous", held["Anonymous"] * 1024)
    print("private", (held["Private_Clean"] + held["Private_Dirty"]) * 1024)
    print("highest", held["VmHWM"] * 1024)             # of this program; ru_maxrss counts the parent as well


def _kilobytes(name: str) -> dict[str, int]:
    lines = (line.split() for line in Path(f"/proc/self/{name}").read_text().splitlines())
    return {words[0].rstrip(":"): int(words[1]) for words in lines if words[-1:] == ["kB"]}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read(Path(sys.argv[2]), Corpus(*map(int, sys.argv[3:5])))
    else:
        main()
