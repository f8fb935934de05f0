"""Run by test_slack_outages.py: prepare|bot|worker. A whole vouch by the settings of its environment.

Built as `vouch slack run` and `vouch worker` are; only the models that run here are made of hashes. Works until it is
killed.
"""

import sys

from homes.ingest_bench import Bench
from model_fakes.hashed_machines import work_with_hashed_models

from composition.storage import lexical_engine, open_home_and_ledger
from consumers.wiring.processes import build_worker
from consumers.wiring.slack.bot import build_slack_bot
from vouch.access import Directory, Person
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger.documents.sources import SourceRow
from vouch.settings import read_settings

TEXT = "Parents get 12 weeks of paid parental leave."


def prepare() -> None:
    settings = read_settings()
    docs, access = settings.home.parent / "docs", settings.home.parent / "access.yaml"
    docs.mkdir()
    (docs / "leave.md").write_text(f"# Leave\n\n{TEXT}\n")
    access.write_text("rules:\n  - match: '**'\n    allow: [public]\n")
    bench = Bench(settings.home)
    _, bench.ledger = open_home_and_ledger(settings)
    bench.ledger.access.set_directory(Directory(people={"ben@acme.test": Person(("people",))}))
    chosen, vectors = settings.lexical.model_dump(), settings.vectors.model_dump()
    bench.lexical = lexical_engine(chosen, vectors, settings.home, SnowballAnalyser(), bench.ledger.access)
    bench.folder("docs", docs)
    bench.ledger.sources.add(SourceRow("docs", "folder", str(docs), str(access)))
    WatchedPermissions(bench.ledger.sources, bench.ledger.access).permissions()     # reads the rules
    bench.ingest()


def main(role: str) -> None:
    if role == "prepare":
        prepare()
    elif role == "bot":
        build_slack_bot(read_settings()).run(lambda: None)
    else:
        work_with_hashed_models(lambda: build_worker(read_settings()))


main(sys.argv[1])
