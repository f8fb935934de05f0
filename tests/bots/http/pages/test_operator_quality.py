"""What operators see of quality: saved reports, votes, drift and gaps."""

import json
import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_client import Client, Reply
from http_scene.http_place import PAPERS, Place, http_place
from learning_scene.past_answers import put

from flows.shared.home_files.evaluation_reports import save_evaluation
from flows.shared.home_files.weekly_reports import write_files
from services.labeling.gaps import GapService
from vouch.learning.evaluator.evaluator_figures import reliability

DAY = timedelta(days=1)
EVIL = "<script>alert(1)</script>"
TOKENS = ["How are the vault tokens rotated?", "Vault tokens rotated when?", "Who has the vault tokens rotated?",
          "vault tokens rotated"]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder, works=False) as made:
        yield made


def home_of(place: Place) -> Path:
    return place.home.bench.home


def ask_all(place: Place, texts: list[str], people: int, prefix: str, **how: Any) -> None:
    for n in range(people):
        put(place.home.bench.ledger, f"{prefix}{n}", texts[n % len(texts)], f"user:{prefix}{n}", place.home.now - DAY,
            **how)


def test_saved_reports_are_listed_and_shown_with_their_pictures(place: Place) -> None:
    olga = place.person("olga")
    stages = {"fused": {"ndcg@10": 0.7345, "ndcg@10_interval": [0.7, 0.76]}}
    save_evaluation(home_of(place), "retrieval", EVIL, place.home.now, {"figures": {"stages": stages}})
    answers = save_evaluation(home_of(place), "answers", "questions.jsonl", place.home.now, {
        "figures": {"questions": 2}, "reliability": reliability([True, False], [0.9, 0.3]),
        "risk_coverage": [[0.5, 0.0], [1.0, 0.5]]})
    listed = olga.get("/operate/quality")
    assert answers.name in listed.text and "retrieval-" in listed.text and complaints(listed.text) == []
    retrieval = olga.get("/operate/quality/report?name=retrieval-21000101T000000")
    assert "0.7345" in retrieval.text and "name=stages" in retrieval.text and complaints(retrieval.text) == []
    shown = olga.get(f"/operate/quality/report?name={answers.name}")
    assert "name=reliability" in shown.text and "name=risk-coverage" in shown.text and complaints(shown.text) == []
    picture = olga.get(f"/operate/quality/picture.svg?report={answers.name}&name=reliability")
    assert picture.headers["content-type"] == "image/svg+xml" and "script" not in picture.text
    assert "default-src 'none'" in picture.headers["content-security-policy"]
    assert ElementTree.fromstring(picture.text).tag.endswith("svg")
    assert place.person("ana").get(f"/operate/quality/picture.svg?report={answers.name}&name=reliability").status == 403
    assert olga.get(f"/operate/quality/picture.svg?report={answers.name}&name=stages").status == 404


def test_votes_are_counted_by_week(place: Place) -> None:
    ledger, now, olga = place.home.bench.ledger, place.home.now, place.person("olga")
    put(ledger, "v1", "What?", "user:v", now - 2 * DAY, action="answered", confidence=0.9,
        votes={"user:a": "up", "user:b": "up", "user:c": "down"})
    put(ledger, "v2", "Where?", "user:v", now - 16 * DAY, votes={"user:a": "down"})
    weeks = place.service.administrators.quality.votes()
    assert len(weeks) == 12 and (weeks[-1]["up"], weeks[-1]["down"]) == (2, 1)
    assert (weeks[-3]["down"], weeks[-3]["declined"]) == (1, 1)
    page = olga.get("/operate/quality").text
    assert f">from {weeks[-1]['from']}<" in page and "What?" not in page
    picture = olga.get("/operate/quality/votes.svg").text
    assert "2 up, 1 down" in picture and ElementTree.fromstring(picture).tag.endswith("svg")


def test_drift_says_why_nothing_can_be_compared(place: Place) -> None:
    page = place.person("olga").get("/operate/quality/drift")
    assert "Nothing can be compared" in page.text and complaints(page.text) == []
    assert place.person("olga").get("/operate/quality/drift.svg").status == 404


def test_where_nothing_was_counted_drift_says_so_in_words() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        page = place.person("olga").get("/operate/quality/drift").text
        assert "no answers in this time" in page and "no votes in this time" in page and "0 of 0" not in page


@pytest.mark.slow
def test_a_shift_is_shown_with_its_picture() -> None:
    from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA

    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        for n in range(80):
            then = n < 40
            rows = [{"chunk_id": "c", "cited": False, "evidence": {}, "schema": FEATURE_SCHEMA,
                     "features": dict.fromkeys(FEATURE_NAMES, n % 7 / 10 + (0 if then else 5.0)), "position": 1}]
            put(place.home.bench.ledger, f"d{n}", "words", f"user:{n}",
                place.home.now - (40 * DAY if then else DAY), rows=rows)
        olga = place.person("olga")
        page = olga.get("/operate/quality/drift")
        assert "shifted" in page.text and complaints(page.text) == []
        assert re.search(r"\d+ % \(\d+ of 40\); with chance taken into account, between \d+ and \d+ %", page.text)
        assert ElementTree.fromstring(olga.get("/operate/quality/drift.svg").text).tag.endswith("svg")


def looked_now(client: Client) -> Reply:
    return client.form("/operate/quality/gaps", {"mark": client.get("/").mark})


def test_no_link_has_gaps_looked_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is work for the models: a page elsewhere could begin it for an operator who only opens it."""
    looked: list[Any] = []
    monkeypatch.setattr(GapService, "report", lambda service, tags: looked.append(tags))
    olga = place.person("olga")
    assert olga.get("/operate/quality/gaps?now=yes").status == 200
    assert olga.form("/operate/quality/gaps", {"mark": "0" * 64}).status == 403
    theirs = olga.form("/operate/quality/gaps", {"mark": olga.get("/").mark}, Origin="http://else.test",
                       Sec_Fetch_Site="cross-site")
    assert theirs.status == 403 and looked == [] and place.home.bench.ledger.acts.list() == []


def test_gaps_keep_to_their_rules(place: Place) -> None:
    ask_all(place, TOKENS, 4, "gap")
    ask_all(place, ["What does the secret merger mean?"], 2, "few")
    olga = place.person("olga")
    page = looked_now(olga)
    assert "vault" in page.text and "merger" not in page.text and complaints(page.text) == []
    assert "eng/tokens.md" not in page.text                     # olga is of ops and may not read it
    assert "leave.md" in page.text                              # the nearest of those that she may
    assert TOKENS[0].lower() not in page.text.lower()           # one person's words, and nobody allowed it
    act = place.home.bench.ledger.acts.list()[0]
    assert (act.by, act.act, act.outcome, act.at) == ("user:olga", "look for gaps", "done", place.home.now)
    assert "look for gaps" in olga.get("/operate/acts").text


@pytest.mark.slow
def test_a_question_whose_asker_allows_it_is_an_example() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        ask_all(place, TOKENS, 4, "gap")
        asked = "Vault tokens rotated by whom?"
        put(place.home.bench.ledger, "own", asked, "user:ana", place.home.now - DAY, share=True)
        assert "vault tokens rotated by whom" in looked_now(place.person("olga")).text.lower()


@pytest.mark.slow
def test_a_kept_report_names_documents_only_to_who_may_read_them_now() -> None:
    gap = {"title": ["vault", EVIL], "questions": 4, "askers": 4, "why": {"declined": 4}, "before": None, "trend": None,
           "examples": [EVIL], "allowed_examples": [], "documents": [
               {"source": "docs", "path": "eng/tokens.md", "title": "T", "owners": []},
               {"source": "docs", "path": "leave.md", "title": "L", "owners": []}]}
    report = {"from": "2026-10-26T00:00:00", "until": "2026-11-23T00:00:00", "fewest_askers": 3, "owner": None,
              "readers": ["public"], "gaps": [gap]}
    with folder_in_memory() as folder, http_place(folder, works=False, operated={"finds_gaps": False}) as place:
        olga, home = place.person("olga"), home_of(place)
        assert "No weekly report is kept yet" in olga.get("/operate/quality/gaps").text
        write_files(home, place.home.now.date(), {"json": json.dumps(report)})
        (home / "reports" / f"gaps-{place.home.now.date()}.user-olga.json").write_text("{}")
        page = olga.get("/operate/quality/gaps")
        assert "leave.md" in page.text and "tokens.md" not in page.text and complaints(page.text) == []
        assert "Look now" not in page.text and looked_now(olga).status == 404
        write_files(home, place.home.now.date(), {"json": json.dumps({"gaps": [{}]})})
        assert "No weekly report is kept yet" in olga.get("/operate/quality/gaps").text


@pytest.mark.slow
def test_only_one_has_gaps_looked_for_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, done = threading.Event(), threading.Event()

    def slow(service: GapService, tags: Any) -> dict[str, Any]:
        begun.set()
        assert done.wait(20)
        return {"from": "2026-10-26", "until": "2026-11-23", "fewest_askers": 3, "gaps": []}

    monkeypatch.setattr(GapService, "report", slow)
    with folder_in_memory() as folder, http_place(folder, PAPERS, works=False) as place:
        found: list[int] = []
        first = threading.Thread(
            target=lambda: found.append(looked_now(place.person("olga")).status))
        first.start()
        assert begun.wait(20)
        refused = looked_now(place.person("olga"))
        assert refused.status == 503 and "Nothing was looked for" in refused.text and complaints(refused.text) == []
        done.set()
        first.join()
        assert found == [200]
