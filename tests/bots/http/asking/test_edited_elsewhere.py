"""A document is edited around what an answer cites: the answer stays, and tells and marks where that stands now."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.http_client import Reply
from http_scene.http_place import PAPERS, Paper, Place, http_place

LEAVE, COFFEE = "How many days of paid leave has everybody?", "Who cleans the coffee machine on floor nine?"
KITCHEN = "\n\n# Kitchen\n\nThe coffee machine on floor nine is cleaned each Tuesday by the kitchen team.\n"
MORE = "A long list of things that one should know about this house, all of which is written below."
MARK = re.compile(r"<mark[^>]*>(.*?)</mark>", re.DOTALL)
PLACE = re.compile(r"</bdi>, (lines? [0-9-]+)")


@pytest.fixture
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as made:
        yield made


def put(place: Place, path: str, words: str) -> None:
    place.home.put("docs", path, Paper(words))
    assert place.home.ingest(["docs"])


def marked(page: Reply) -> str:
    assert page.status == 200
    return " ".join(MARK.findall(page.text))


def cited(place: Place, named: str) -> dict[str, Any]:
    told = place.person("ana").get(f"/v1/answers/{named}")
    assert told.status == 200
    one: dict[str, Any] = told.json["citations"][0]
    return one


@pytest.mark.parametrize("before", ["# Intro\n\nThis was rewritten, and holds a long new lead.\n\n", "\n\n\n\n\n"])
def test_lines_and_mark_follow_what_is_cited(place: Place, before: str) -> None:
    ana = place.person("ana")
    answer = ana.post("/v1/ask", {"question": LEAVE}).json
    [then] = answer["citations"]
    put(place, "leave.md", before + PAPERS["leave.md"])
    now = cited(place, answer["id"])
    text = before + PAPERS["leave.md"]
    start, end = now["characters"]
    line = text[:start].count("\n") + 1
    assert text[start:end] == now["quote"] == then["quote"] and now["characters"] != then["characters"]
    assert now["lines"] == [line, line] and now["place"] == f"line {line}" != then["place"]
    page = ana.get(f"/answers/{answer['id']}/citations/1")
    assert marked(page) == then["quote"] and PLACE.search(page.text)[1] == f"line {line}"  # type: ignore[index]
    assert PLACE.search(ana.get(f"/answers/{answer['id']}").text)[1] == f"line {line}"  # type: ignore[index]
    shown = ana.get(f"/v1/chunks/{now['chunk_id']}").json
    assert shown["lines"][0] <= line <= shown["lines"][1]


def test_a_title_that_was_edited_away_is_shown_nowhere(place: Place) -> None:
    ana = place.person("ana")
    put(place, "plan.md", f"# Layoffs in Berlin in March\n\nNobody knows yet.{KITCHEN}")
    answer = ana.post("/v1/ask", {"question": COFFEE}).json
    assert answer["citations"][0]["title"] == "Layoffs in Berlin in March"
    put(place, "plan.md", f"# House rules\n\n{MORE}{KITCHEN}")
    assert cited(place, answer["id"])["title"] == "House rules"
    pages = [ana.get(f"/answers/{answer['id']}{more}") for more in ("", "/citations/1", "/trace")]
    assert [page.status for page in pages] == [200] * 3 and "Layoffs" not in "".join(page.text for page in pages)
    assert marked(pages[1]) == answer["citations"][0]["quote"]
    assert [one["id"] for one in ana.get("/v1/questions").json["questions"]] == [answer["id"]]


def test_an_answer_whose_words_hold_the_former_title_is_taken_away(place: Place) -> None:
    """Several documents are quoted each under its title."""
    ana = place.person("ana")
    put(place, "plan.md", f"# Layoffs in Berlin in March\n\nNobody knows yet.{KITCHEN}")
    put(place, "tea.md", f"# Tea\n\nNothing.{KITCHEN.replace('coffee', 'tea')}")
    answer = ana.post("/v1/ask", {"question": f"{COFFEE} Who cleans the tea machine on floor nine?"}).json
    assert "Layoffs in Berlin in March:" in answer["answer"]
    put(place, "plan.md", f"# House rules\n\n{MORE}{KITCHEN}")
    told = [ana.get(f"{at}/{answer['id']}") for at in ("/v1/answers", "/answers")]
    told += [ana.get(f"/answers/{answer['id']}/{more}") for more in ("citations/1", "trace")]
    assert [one.status for one in told] == [403] * 4 and "Layoffs" not in "".join(one.text for one in told)
    assert ana.get("/v1/questions").json["questions"] == []


def test_the_rights_are_those_of_now(place: Place) -> None:
    ana = place.person("ana")
    answer = ana.post("/v1/ask", {"question": LEAVE}).json
    put(place, "leave.md", f"# Intro\n\nNew.\n\n{PAPERS['leave.md']}")
    place.home.put_rules("docs", [("**", ["group:people"])])
    assert ana.get(f"/v1/answers/{answer['id']}").status == 403
    assert ana.get(f"/answers/{answer['id']}/citations/1").status == 403
