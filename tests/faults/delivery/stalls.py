"""Run by test_stalls.py: `prepare`, or `work` until the process ends. The home is where VOUCH_HOME says.

The worker is built as `vouch worker` is, with models made of hashes, and one planted bug: the regular expression that
says what a list is takes a question of repetitions apart in two to the power of their number, holding the
interpreter's lock all the while.
"""

import re
import sys
from pathlib import Path

from homes.ingest_bench import Bench
from model_fakes.hashed_machines import work_with_hashed_models

from consumers.wiring.processes import build_worker
from vouch.adapters.ledger.documents.sources import SourceRow
from vouch.retrieval.question import listing
from vouch.settings import read_settings

HOME = read_settings().home


def prepare() -> None:
    docs = HOME.parent / "docs"
    docs.mkdir()
    for number in range(5):
        (docs / f"{number}.md").write_text(f"# Rule {number}\n\nRule number {number} allows {number + 1} days.\n")
    access = HOME.parent / "access.yaml"
    access.write_text("rules:\n  - match: '**'\n    allow: [public]\n")
    bench = Bench(HOME)
    bench.folder("docs", docs)
    bench.ledger.sources.add(SourceRow("docs", "folder", str(docs), str(Path(access))))
    bench.ingest()


def work() -> None:
    listing._FORMS = (re.compile(r"(?:please\W+|can you\s+(?:please\s+)?)*list (?P<rest>.*)", re.IGNORECASE),)
    work_with_hashed_models(lambda: build_worker(read_settings()))


{"prepare": prepare, "work": work}[sys.argv[1]]()
