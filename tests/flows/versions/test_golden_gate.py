"""A version by which golden questions find their passages more rarely is not served, and the one before stays."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fakes.hashed_models import OverlapReranker
from homes.ingest_bench import Bench

from flows.ingesting.guards import GoldenGate
from flows.runs.run import ingest_direct, rebuild_direct
from vouch.access import PUBLIC, Directory, Permissions, Rule, RuleBook
from vouch.adapters.analyser import SnowballAnalyser
from vouch.documents.document import RunReport
from vouch.errors import BadInput, Guarded
from vouch.retrieval.ranking import Ranking
from vouch.retrieval.recipe.step import RankingModels

pytestmark = pytest.mark.integration
Write = Callable[[str, str], Path]
LEAVE, BADGES = "Parents get twelve weeks of paid leave.", "Badges are made every Wednesday."


def permissions(*allowed: str) -> Permissions:
    book = RuleBook((Rule("**", frozenset(allowed or (PUBLIC,))),))
    return Permissions.settled(1, {"docs": book}, Directory())


@pytest.fixture
def company(bench: Bench, write: Write, tmp_path: Path) -> Bench:
    write("leave.md", f"# Leave\n\n{LEAVE}\n")
    write("badges.md", f"# Badges\n\n{BADGES}\n")
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    rows = [{"question": "How many weeks of paid leave?", "quotes": [LEAVE], "quote_paths": ["leave.md"]},
            {"question": "When are badges made?", "quotes": [BADGES], "quote_paths": ["badges.md"]}]
    golden(bench, *({"answerable": True, **row} for row in rows), {"question": "Who won?", "answerable": False})
    return bench


def golden(bench: Bench, *rows: dict[str, object]) -> None:
    (bench.home / "golden.jsonl").write_text("\n".join(map(json.dumps, rows)))


def ingest(bench: Bench, loss: float, *allowed: Permissions) -> list[RunReport]:
    """`allowed`: the permissions as they are at each look."""
    analyser, done = SnowballAnalyser(), list[RunReport]()
    made = bench.components
    ranked = RankingModels(bench.encoder, OverlapReranker(analyser), analyser, None), Ranking()
    looks = iter(allowed)
    gate = GoldenGate(made.store, lambda: next(looks, permissions()), lambda: ranked, bench.home / "golden.jsonl", loss)
    ingest_direct(replace(made, gate=gate), ["docs"], done=done.append)
    return done


def test_a_version_that_loses_more_is_not_served_and_the_next_one_may_be(company: Bench, write: Write) -> None:
    write("leave.md", "# Leave\n\nAsk the people team about it, please.\n")
    with pytest.raises(Guarded, match=r"of 1 of 2 golden questions.*that of 2.*VOUCH_INGEST__GOLDEN_LOSS") as told:
        ingest(company, 0.4)
    assert told.value.exit_code == 6 and "weeks" not in str(told.value) and "leave.md" not in str(told.value)
    current = company.components.store.open_current()
    assert current is not None and current.number == 1
    write("leave.md", f"# Leave\n\nNew since May. {LEAVE}\n")
    assert [one.changed for one in ingest(company, 0.0)] == [1]


def test_so_much_may_be_lost_as_the_setting_says(company: Bench, write: Write) -> None:
    write("leave.md", "# Leave\n\nAsk the people team about it, please.\n")
    assert [one.version for one in ingest(company, 0.5)] == [2]
    assert write("badges.md", f"# Badges\n\n{BADGES} Bring a photo.\n") and len(ingest(company, 0.0)) == 1


def test_each_question_finds_what_its_reader_may_read(company: Bench, write: Write) -> None:
    """The public may read nothing here: neither version finds anything, and nothing is lost."""
    write("leave.md", "# Leave\n\nAsk the people team about it, please.\n")
    assert len(ingest(company, 0.0, permissions("group:staff"))) == 1


def test_for_a_reader_of_the_group_it_is_lost(company: Bench, write: Write) -> None:
    golden(company, {"question": "How many weeks of paid leave?", "answerable": True, "reader": "group:staff",
                     "quotes": [LEAVE], "quote_paths": ["leave.md"]})
    write("leave.md", "# Leave\n\nAsk the people team about it, please.\n")
    with pytest.raises(Guarded, match="of 0 of 1"):
        ingest(company, 0.5, permissions("group:staff"))


def test_both_versions_are_searched_under_permissions_of_one_moment(company: Bench, write: Write) -> None:
    """Who is let in meanwhile does not make up for what is lost, and who is shut out loses nothing by the version."""
    shut, opened = permissions("group:staff"), permissions()
    write("leave.md", "# Leave\n\nAsk the people team about it, please.\n")
    with pytest.raises(Guarded, match=r"of 1 of 2 .*that of 2"):
        ingest(company, 0.0, opened, shut)
    assert len(ingest(company, 0.0, shut, opened)) == 1


def test_without_questions_nothing_is_asked_and_a_broken_file_publishes_nothing(company: Bench, write: Write) -> None:
    write("leave.md", "# Leave\n\nAsk the people team about it, please.\n")
    (company.home / "golden.jsonl").write_text("{")
    with pytest.raises(BadInput):
        ingest(company, 0.0)
    (company.home / "golden.jsonl").unlink()
    assert len(ingest(company, 0.0)) == 1


def test_what_is_built_anew_passes_the_gate_too(company: Bench, write: Write) -> None:
    write("leave.md", "# Leave\n\nAsk the people team about it, please.\n")

    def closed(version: object) -> None:
        raise Guarded("no", cure="wait")

    with pytest.raises(Guarded):
        rebuild_direct(replace(company.components, gate=closed), done=lambda report: None)
    current = company.components.store.open_current()
    assert current is not None and current.number == 1
