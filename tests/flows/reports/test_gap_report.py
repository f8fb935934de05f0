"""The weekly report: its files are the owner's alone, old and purged words are in none, and it runs on a server."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from fakes.hashed_models import HashedEncoder
from fakes.memory_index import MemoryIndex
from fakes.owners import OwnersByPath
from homes.grep_home import grep
from homes.purge_scene import QUOTE, SECRET, run
from homes.small_world import passage
from learning_scene.past_answers import put

from flows.monitoring.gap_report import Written, page, write_report
from flows.monitoring.gap_run import GapComponents
from flows.runs.retention import Retention, tidy_up
from flows.runs.run import sole_run
from flows.shared.home_files.weekly_reports import FOLDER, expire_reports, write_files
from vouch.access import PUBLIC, Directory, Label, Permissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.ledger.removal.erasure import Target
from vouch.errors import Busy
from vouch.learning.drift.drift_look import DriftLook
from vouch.learning.gaps.gap import GapLimits
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA

NOW = datetime(2026, 11, 23, 5, tzinfo=UTC)
DAY = timedelta(days=1)
KEEP = timedelta(days=62)


class Fixed:
    def permissions(self) -> Permissions:
        return Permissions.settled(1, {}, Directory())


def components(bench) -> GapComponents:
    analyser = SnowballAnalyser()
    encoder = HashedEncoder(analyser, 256)
    paper = passage("The qzxsalary of the board.", chunk_id="0" * 32, source="docs", path="board/pay|x.md", title="Pay")
    index = MemoryIndex([paper], {paper.chunk_id: Label(frozenset({PUBLIC}))}, encoder, analyser)
    return GapComponents(bench.home, bench.ledger, index, Fixed(), lambda: encoder, analyser,
                         lambda vectors, smallest: [-1] * len(vectors), GapLimits(alike=0.3), 4, 0.4, OwnersByPath({}))


def ask(bench, shift: float = 0.0) -> None:
    """Forty questions five weeks ago, and forty now, whose closeness has shifted; four people ask in vain."""
    draw = np.random.default_rng(3)
    for week, at in (("then", NOW - 40 * DAY), ("now", NOW - DAY)):
        for n in range(40):
            moved = shift if week == "now" else 0.0
            rows = [{"chunk_id": "c", "cited": False, "evidence": {}, "schema": FEATURE_SCHEMA,
                     "dense_score": draw.normal(moved), "features": dict.fromkeys(FEATURE_NAMES, 0.0)}
                    for _ in range(10)]
            put(bench.ledger, f"{week}{n}", f"Thing {n} of {week}?", f"user:{n}", at + n * timedelta(minutes=1),
                action="answered", confidence=0.9, rows=rows)
    for n in range(4):
        put(bench.ledger, f"vain{n}", f"Is it <b>true</b>? {QUOTE}", f"user:{n}", NOW - DAY)
    for row in bench.ledger.outbox.claim(["terminal"], NOW, DAY, 1000):
        assert bench.ledger.outbox.sent(row, NOW)


def written(bench, **options) -> Written:
    drift = DriftLook(bench.ledger.past_answers, bench.ledger.measures)
    return write_report(components(bench), drift, KEEP, NOW, **options)


def test_the_report_is_a_page_a_picture_and_json_for_the_owner_alone(bench) -> None:
    ask(bench, shift=1.5)
    open_home(bench.home)                       # as every process does first
    made = written(bench)
    assert [path.name for path in made.files] == [f"gaps-2026-11-23.{kind}" for kind in ("json", "md", "svg")]
    assert {oct(path.stat().st_mode)[-3:] for path in made.files} == {"600"}
    assert [(run.kind, run.outcome) for run in bench.ledger.flow_runs.list()] == [("gaps", "done")]
    assert oct((bench.home / FOLDER).stat().st_mode)[-3:] == "700"
    told = json.loads(made.files[0].read_text())
    (gap,) = told["gaps"]
    assert gap["askers"] == 4 and gap["documents"][0]["path"] == "board/pay|x.md"
    first = told["drift"]["columns"][0]
    assert first["name"] == "dense_score" and first["shifted"] and first["psi"] > 0.25
    assert not any(column["shifted"] for column in told["drift"]["columns"][1:])
    text = made.files[1].read_text()
    assert "dense\\_score" in text and r"pay\|x" in text and "<b>" not in text and "(gaps-2026-11-23.svg)" in text
    picture = "".join(ElementTree.fromstring(made.files[2].read_text()).itertext())
    assert "dense_score" in picture and "qzx" not in picture


def test_what_goes_to_others_is_numbers(bench) -> None:
    ask(bench)
    numbers = written(bench).numbers()
    assert numbers["gaps"] == 1 and numbers["questions"] == 4 and numbers["shifted"] == 0
    assert numbers["answers"] == 44 and numbers["declined"] == 4
    assert all(value is None or isinstance(value, int | float) for value in numbers.values())


def test_no_mark_of_a_question_does_anything_on_the_page() -> None:
    gap = {"title": ["![x](http://evil.example/x)"], "questions": 3, "askers": 3, "before": None, "why": {},
           "documents": [],
           "examples": ["<img src=http://evil.example/y> [a](b) `code` | cell"],
           "allowed_examples": ["<img src=http://evil.example/z> [c](d)"]}
    drift = {"recent": None, "reference": None, "columns": [], "why_not": "nothing"}
    text = page({"gaps": [gap], "until": "2026-11-23", "from": "2026-10-26", "fewest_askers": 3,
                 "owner": "user:<b>@[x](y)", "readers": ["public"]}, drift, "x.svg")
    assert not re.search(r"(?<!\\)[<`\[]", text) and not re.search(r"(?<!\\)!\[", text)


def test_a_purge_takes_the_reports_along(kept) -> None:
    ask(kept)
    written(kept)
    assert (kept.home / FOLDER).is_dir() and grep(kept.home / FOLDER, SECRET[:1])
    run(kept)
    assert not (kept.home / FOLDER).exists() and grep(kept.home, SECRET) == []
    assert written(kept).gaps["gaps"] == []
    assert grep(kept.home, SECRET) == []


def test_no_report_is_made_beside_a_purge(bench) -> None:
    with sole_run(bench.home), pytest.raises(Busy, match=r"a purge, .* is under way on this home"):
        written(bench)


def meanwhile(bench, act) -> Written:
    """Made with something that happens whenever questions are embedded."""
    real = components(bench)

    def encoder() -> HashedEncoder:
        act()
        return real.encoder()

    drift = DriftLook(bench.ledger.past_answers, bench.ledger.measures)
    return write_report(replace(real, encoder=encoder), drift, KEEP, NOW)


def test_others_do_not_wait_while_questions_are_embedded(bench) -> None:
    ask(bench)
    alone = []

    def ingest() -> None:
        with sole_run(bench.home):
            alone.append(True)

    assert meanwhile(bench, ingest).gaps["gaps"] and alone == [True]


def test_a_purge_meanwhile_has_it_made_anew(kept) -> None:
    ask(kept)
    done = []

    def purge() -> None:
        if not done:
            done.append(run(kept))

    assert meanwhile(kept, purge).gaps["gaps"] == [] and done[0].answers == 4
    assert grep(kept.home, SECRET) == []


def test_purges_one_after_the_other_let_no_report_be_written(bench) -> None:
    ask(bench)
    target = Target([], [], lambda data: False)
    with pytest.raises(Busy, match="purged all the time"):
        meanwhile(bench, lambda: bench.ledger.erasure.made_from(target))
    assert not (bench.home / FOLDER).exists()


def test_no_report_outlives_its_questions(bench, tmp_path: Path) -> None:
    ask(bench)
    write_files(bench.home, (NOW - 70 * DAY).date(), {"md": "old"})
    (bench.home / FOLDER / "notes.txt").write_text("somebody's own")
    assert expire_reports(bench.home, (NOW - KEEP).date(), dry_run=True) == 1
    assert len(written(bench).files) == 3 and len(list((bench.home / FOLDER).iterdir())) == 4
    kept_for = Retention(90 * DAY, 7 * DAY, 365 * DAY, KEEP)
    later = NOW + KEEP + DAY
    assert tidy_up(bench.components, kept_for, later, dry_run=True).reports == 3
    assert tidy_up(bench.components, kept_for, later).row()["reports"] == 3
    assert [path.name for path in (bench.home / FOLDER).iterdir()] == ["notes.txt"]


def test_expired_questions_are_in_no_new_report(bench) -> None:
    ask(bench)
    assert bench.ledger.expiry.expire(NOW - timedelta(hours=1), NOW - DAY).answers == 84
    assert written(bench).gaps["gaps"] == [] and "qzx" not in (bench.home / FOLDER / "gaps-2026-11-23.md").read_text()
