"""Weekly reports of owners, and examples that leave the reports already written once they are withdrawn."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fakes.hashed_models import HashedEncoder
from fakes.memory_index import MemoryIndex
from fakes.owners import OwnersByPath
from homes.small_world import passage
from learning_scene.past_answers import put

from flows.monitoring import gap_report
from flows.monitoring.gap_report import Written, withdraw_examples, write_report
from flows.monitoring.gap_run import GapComponents
from flows.runs.run import sole_run
from flows.shared.home_files.weekly_reports import FOLDER, expire_reports, kind_of, write_files
from services.labeling.gaps import ExampleService
from vouch.access import PUBLIC, Directory, Label, Permissions, Person
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.filesystem.home import open_home
from vouch.errors import Busy, NotFound, Usage
from vouch.learning.drift.drift_look import DriftLook
from vouch.learning.gaps.gap import GapLimits

NOW = datetime(2026, 11, 23, 5, tzinfo=UTC)
DAY = timedelta(days=1)
KEEP = timedelta(days=62)
ANA, BEN, PEOPLE = "user:ana@acme.test", "user:ben@acme.test", "group:people"
ASKED = ["how do i renew a badge", "badge renewal", "renew my lost badge", "badge renew"]
OWNERS = OwnersByPath({"badges.md": [ANA, "group:nobody"], "badge-fraud.md": [BEN], "badge-pay.md": [PEOPLE]})
DIRECTORY = Directory({"ana@acme.test": Person(()), "ben@acme.test": Person(()), "p0": Person(())}, {"people": ()})


class Fixed:
    def permissions(self) -> Permissions:
        return Permissions.settled(1, {}, DIRECTORY)


@pytest.fixture
def parts(bench) -> GapComponents:
    analyser = SnowballAnalyser()
    encoder = HashedEncoder(analyser, 256)
    readable = {"badges.md": PUBLIC, "badge-fraud.md": "group:security", "badge-pay.md": PEOPLE}
    papers = [passage("Renew a badge.", chunk_id=f"{n:032x}", path=path, title=path)
              for n, path in enumerate(readable)]
    index = MemoryIndex(papers, {one.chunk_id: Label(frozenset({readable[one.path]})) for one in papers}, encoder,
                        analyser)
    for n, text in enumerate(ASKED):
        put(bench.ledger, f"q{n}", text, f"user:p{n}", NOW - DAY)
    return GapComponents(bench.home, bench.ledger, index, Fixed(), lambda: encoder, analyser,
                         lambda vectors, smallest: [-1] * len(vectors), GapLimits(alike=0.3), 4, 0.4, OWNERS)


def written(parts: GapComponents) -> Written:
    return write_report(parts, DriftLook(parts.ledger.past_answers, parts.ledger.measures), KEEP, NOW)


def held(parts: GapComponents) -> dict[str, str]:
    return {path.name: path.read_text() for path in (parts.home / FOLDER).iterdir()}


def choices(parts: GapComponents) -> ExampleService:
    return ExampleService(parts.home, parts.ledger, parts.permissions.permissions, lambda: NOW)


def test_each_owner_gets_the_gaps_near_their_documents_as_far_as_they_may_read(parts: GapComponents) -> None:
    open_home(parts.home)                       # as every process does first
    made = written(parts)
    of_ana, of_people = "gaps-2026-11-23.user-ana@acme.test.", "gaps-2026-11-23.group-people."
    assert {path.name for path in made.files} == {
        *(f"gaps-2026-11-23.{kind}" for kind in ("json", "md")), *(of_ana + kind for kind in ("json", "md")),
        *(of_people + kind for kind in ("json", "md")), "gaps-2026-11-23.group-nobody.json",
        "gaps-2026-11-23.group-nobody.md"}
    assert {oct(path.stat().st_mode)[-3:] for path in made.files} == {"600"} and made.numbers()["owners"] == 3
    files = held(parts)
    assert "badge\\-pay" not in files[of_ana + "md"] and "badge\\-pay" in files[of_people + "md"]
    assert "Drift" not in files[of_ana + "md"] and "near documents of user\\:ana" in files[of_ana + "md"]
    assert json.loads(files[of_ana + "json"])["owner"] == ANA
    assert not any("fraud" in text for text in files.values()), "ben owns what he may not read"


def test_an_owner_without_gaps_any_more_has_no_report_of_that_day(parts: GapComponents) -> None:
    written(parts)
    later = replace(parts, owners=OwnersByPath({"badge-pay.md": [PEOPLE]}))
    assert written(later).numbers()["owners"] == 1 and not any("ana" in name for name in held(parts))


def test_names_of_files_are_of_one_owner_each_and_stay_in_the_folder(tmp_path: Path) -> None:
    hostile = ["user:../../x", "user:a/b", "user:a%2fb", "group:A", "group:a", "user:a", "user:" + "ü" * 200,
               "user:" + "ü" * 201, "user:.", "user:a.json", "group:\n", "user:*"]
    kinds = [kind_of(tag, "md") for tag in hostile]
    assert len(set(kinds)) == len(kinds) and all("/" not in kind and len(kind) < 150 for kind in kinds)
    write_files(tmp_path, NOW.date(), dict.fromkeys(kinds, "words"))
    assert len(list((tmp_path / FOLDER).iterdir())) == len(kinds)
    assert expire_reports(tmp_path, (NOW + DAY).date()) == len(kinds) and not list((tmp_path / FOLDER).iterdir())


def test_a_withdrawn_example_leaves_the_reports_that_are_written(parts: GapComponents) -> None:
    choices(parts).allow("user:p0")
    parts.ledger.examples.allow("user:p1", NOW - 9 * DAY)
    put(parts.ledger, "more", "may i renew the badge", "user:p0", NOW - DAY, share=True)
    written(parts)
    before = held(parts)
    shown = [name for name, text in before.items() if "may i renew" in text]
    assert len(shown) == 8, "the whole and three owners', each as a page and as JSON"
    (parts.home / FOLDER / "notes.json").write_text("may i renew")
    told = choices(parts).deny("user:p0")
    assert told["reports_changed"] == 4 and not told["allowed"] and told["denied_at"] == NOW.isoformat()
    after = held(parts)
    assert [name for name, text in after.items() if "may i renew" in text] == ["notes.json"]
    assert all("badge renewal" in text for name, text in after.items() if name in shown), "others' stay"
    assert "## Drift" in after["gaps-2026-11-23.md"]
    written(parts)
    assert not any("may i renew" in text for name, text in held(parts).items() if name != "notes.json")
    assert choices(parts).deny("user:p0")["reports_changed"] == 0


def test_a_gap_that_an_owner_saw_by_an_example_alone_goes_with_it(parts: GapComponents) -> None:
    row = {"title": [], "examples": [], "allowed_examples": ["one"], "questions": 3, "askers": 3, "before": None,
           "why": {}, "documents": []}
    report = {"from": "2026-11-01", "until": "2026-11-23", "fewest_askers": 3, "readers": [ANA], "gaps": [row]}
    write_files(parts.home, NOW.date(), {
        kind_of(ANA, "json"): json.dumps({**report, "owner": ANA}), kind_of(ANA, "md"): "one",
        "json": json.dumps({**report, "readers": ["public"], "owner": None}), "md": "one"})
    assert withdraw_examples(parts.home, {"one"}) == 2
    found = {name: json.loads(text)["gaps"] for name, text in held(parts).items() if name.endswith("json")}
    assert found[f"gaps-2026-11-23.{kind_of(ANA, 'json')}"] == []
    assert [gap["allowed_examples"] for gap in found["gaps-2026-11-23.json"]] == [[]]


def test_a_report_that_cannot_be_understood_is_deleted_and_an_older_one_left(parts: GapComponents) -> None:
    write_files(parts.home, NOW.date(), {"json": "{", "md": "words"})
    older = '{"gaps": [{"title": [], "examples": ["shared"]}]}'
    write_files(parts.home, (NOW - DAY).date(), {"json": older, "md": "words"})
    assert withdraw_examples(parts.home, {"one", "shared"}) == 1
    assert held(parts) == {"gaps-2026-11-22.json": older, "gaps-2026-11-22.md": "words"}


def test_a_denial_counts_though_reports_cannot_be_looked_at(parts: GapComponents) -> None:
    choices(parts).allow("user:p0")
    with sole_run(parts.home), pytest.raises(Busy, match="no new report will show a question"):
        choices(parts).deny("user:p0")
    assert not choices(parts).status("user:p0")["allowed"]


def test_a_report_that_was_begun_before_a_denial_is_made_anew(
    parts: GapComponents, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts.ledger.examples.allow("user:p0", NOW - 2 * DAY)
    real = parts.encoder()

    def encoder() -> HashedEncoder:
        if parts.ledger.examples.of("user:p0").allowed_since:
            choices(parts).deny("user:p0")
        return real

    written(parts)
    assert "how do i renew" in held(parts)["gaps-2026-11-23.json"]
    written(replace(parts, encoder=encoder))
    assert "how do i renew" not in json.dumps(held(parts))
    parts.ledger.examples._put("user:p0", lambda held: type(held)(NOW - 2 * DAY, None))
    monkeypatch.setattr(gap_report, "_mark", lambda components: None)     # the plant: nobody looks again
    written(replace(parts, encoder=encoder))
    assert "how do i renew" in json.dumps(held(parts))


def test_only_one_known_person_chooses(parts: GapComponents) -> None:
    for tag in (PUBLIC, PEOPLE):
        for act in (choices(parts).allow, choices(parts).deny, choices(parts).status):
            with pytest.raises(Usage, match="not one person"):
                act(tag)
    with pytest.raises(NotFound, match="not in the directory"):
        choices(parts).allow("user:anna@acme.test")
    assert choices(parts).deny("user:gone@acme.test")["allowed"] is False, "whoever left can still withdraw"
