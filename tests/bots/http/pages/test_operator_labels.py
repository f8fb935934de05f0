"""Judging passages on a page: what the operator and the question's readers may read, a button each, kept at once."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_place import PAPERS, Paper, Place, http_place
from learning_scene.answered import leave_answer

OLGA, ASKED = "user:olga", "When are tokens rotated on paid leave?"
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def place() -> Iterator[Place]:
    papers = {**PAPERS, "evil.md": f"# Evil {EVIL}\n\nThe evil token {EVIL} is rotated on paid leave.\n"}
    with folder_in_memory() as folder, http_place(folder, papers, works=False) as made:
        leave_answer(made.home.bench.ledger, 1, made.home.now, asker=OLGA, text=ASKED)
        leave_answer(made.home.bench.ledger, 2, made.home.now, asker="user:ana", text="Which salary has Ana?")
        yield made


class FindsNothing:
    """Labeling whose searches find no passage any more."""

    def __init__(self, labeling: Any) -> None:
        self._labeling = labeling

    def __getattr__(self, name: str) -> Any:
        return getattr(self._labeling, name)

    def pooled(self, *_: Any) -> list[str]:
        return []


def hidden(text: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', text))


def labels(place: Place) -> list[tuple[str | None, str, int]]:
    return [(one.person, one.question, one.relevance) for one in place.home.bench.ledger.labels.list(["judged"])]


def test_an_operator_judges_passage_after_passage_until_there_is_none(place: Place) -> None:
    olga, seen = place.person("olga"), []
    while fields := hidden((page := olga.get("/operate/labels")).text):
        assert complaints(page.text) == [] and "When are tokens rotated" in page.text
        assert "vault tokens" not in page.text and "salary" not in page.text, "hers alone, and only what she may read"
        seen.append(fields["chunk"])
        done = olga.form("/operate/labels", {**fields, "relevance": str(len(seen) % 4)})
        assert done.status == 303 and done.headers["location"].startswith("/operate/labels?skipped=0&")
    assert len(seen) == len(set(seen)) > 1 and "nothing to judge" in page.text
    assert sorted(labels(place)) == sorted((OLGA, ASKED, n % 4) for n in range(1, len(seen) + 1))


def test_what_is_skipped_comes_again(place: Place) -> None:
    olga = place.person("olga")
    first, second = (hidden(olga.get(f"/operate/labels?skipped={n}").text) for n in (0, 1))
    assert first["chunk"] != second["chunk"] and second["skipped"] == "1"
    assert olga.form("/operate/labels", {**second, "relevance": "3"}).headers["location"].startswith(
        "/operate/labels?skipped=1&")
    assert hidden(olga.get("/operate/labels").text)["chunk"] == first["chunk"]
    assert olga.form("/operate/labels", {**second, "relevance": "3", "skipped": "9" * 5000}).status == 303
    end = olga.get("/operate/labels?skipped=400")
    assert "What was skipped" in end.text and complaints(end.text) == []


def test_the_last_one_can_be_taken_back(place: Place) -> None:
    olga = place.person("olga")
    first = hidden(olga.get("/operate/labels").text)
    done = olga.form("/operate/labels", {**first, "relevance": "3"})
    after = olga.get(done.headers["location"])
    back = hidden(after.text[: after.text.index("Take the last one back")])
    assert complaints(after.text) == [] and back["chunk"] == first["chunk"] and len(labels(place)) == 1
    assert olga.form("/operate/labels", {**back, "mark": "0" * 64}).status == 403 and len(labels(place)) == 1
    assert olga.form("/operate/labels", {**back, "question": "0" * 64}).status == 404 and len(labels(place)) == 1
    assert olga.form("/operate/labels", back).headers["location"] == "/operate/labels?skipped=0"
    assert labels(place) == [] and hidden(olga.get("/operate/labels").text)["chunk"] == first["chunk"]


def test_a_page_that_looks_at_itself_is_given_the_same_until_that_is_judged(place: Place) -> None:
    olga = place.person("olga")
    page = olga.get("/operate/labels?skipped=1")
    again = re.findall(r'data-look data-again="([^"]+)"', page.text)[0].replace("&amp;", "&")
    fields = hidden(page.text)
    leave_answer(place.home.bench.ledger, 3, place.home.now + timedelta(minutes=1), asker=OLGA, text="Who is told?")
    assert hidden(olga.get("/operate/labels").text)["question"] != fields["question"]
    kept = olga.get(again)
    assert hidden(kept.text) == fields and complaints(kept.text) == [] and "Question 2 of 2" in kept.text
    olga.form("/operate/labels", {**fields, "relevance": "3"})
    gone = olga.get(again)
    assert "is judged, or may not" in gone.text and 'name="relevance"' not in gone.text and complaints(gone.text) == []
    assert again.replace("&", "&amp;") in gone.text, "nothing else comes there by itself"


def test_a_passage_that_is_shown_stays_though_it_is_not_found_again_after_an_hour(place: Place) -> None:
    olga = place.person("olga")
    page = olga.get("/operate/labels")
    again = re.findall(r'data-look data-again="([^"]+)"', page.text)[0].replace("&amp;", "&")
    fields, labels_page = hidden(page.text), place.service.administrators.labels
    place.home.now += timedelta(hours=2)
    labels_page.__dict__["labeling"] = FindsNothing(labels_page.labeling)   # type: ignore[attr-defined]
    kept = olga.get(again)
    assert hidden(kept.text) == fields and complaints(kept.text) == [] and "passage 1 of 1" in kept.text
    assert olga.form("/operate/labels", {**fields, "relevance": "3"}).status == 303 and len(labels(place)) == 1


def test_a_form_that_tells_of_another_passage_keeps_nothing(place: Place) -> None:
    olga = place.person("olga")
    fields = hidden(olga.get("/operate/labels").text)
    version = place.home.store.open(place.home.current)
    (header,) = (one for one in version.documents() if one.path == "eng/tokens.md")
    wrong = [({"chunk": version.record(*header.place).chunks[0].id}, 409), ({"hash": "0" * 16}, 409),
             ({"question": "0" * 64}, 404), ({"relevance": "4"}, 422), ({"relevance": ""}, 422),
             ({"mark": "0" * 64}, 403), ({"skipped": EVIL, "relevance": "9"}, 422)]
    for changed, status in wrong:
        told = olga.form("/operate/labels", {**fields, "relevance": "2", **changed})
        assert told.status == status and complaints(told.text) == [], changed
        assert "vault tokens" not in told.text
    assert labels(place) == []


def test_a_passage_that_changed_meanwhile_is_not_judged_by_its_former_words(place: Place) -> None:
    olga = place.person("olga")
    pages = [hidden(olga.get(f"/operate/labels?skipped={n}").text) for n in range(4)]
    place.home.put("docs", "leave.md", Paper("# Leave\n\nEverybody has forty days of paid leave in a year.\n"))
    assert place.home.ingest(["docs"])
    told = [olga.form("/operate/labels", {**fields, "relevance": "3"}).status for fields in filter(None, pages)]
    assert set(told) == {303, 409} and len(labels(place)) == told.count(303)


def test_nobody_else_judges_and_a_service_without_models_says_how(place: Place) -> None:
    mark = place.person("ana").get("/").mark
    assert place.person("ana").get("/operate/labels").status == 403
    assert place.person("ana").form("/operate/labels", {"mark": mark, "relevance": "3"}).status == 403
    assert labels(place) == []
    place.service.administrators.labels.__dict__["labeling"] = None     # type: ignore[union-attr]
    told = place.person("olga").get("/operate/labels")
    assert told.status == 404 and "vouch label" in told.text
