"""From a citation through the whole document, and what is said of a history that is longer than its page."""

import re

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_client import Client, Reply
from http_scene.http_place import PAPERS, Place, http_place

from bots.http.page.marked_quotes import around
from services.answering.questions import _HISTORY

SECTIONS = 14
LONG = "# Manual\n\n" + "\n".join(
    f"## Part {n}\n\nRule number-{n} is about the {'zebra' if n == 7 else 'horse'}. {'It says little more. ' * 40}\n"
    for n in range(SECTIONS))
TOLD = re.compile(r"Rule number-(\d+) is")


def onward(client: Client, page: Reply, word: str) -> list[Reply]:
    """The pages that one comes to by following the link with this word to the end."""
    found: list[Reply] = []
    while link := re.search(f'href="(/answers/[0-9a-f]+/passages/[0-9a-f]+)">{word} in the document', page.text):
        page = client.get(link[1])
        assert page.status == 200 and complaints(page.text) == [] and len(found) < 2 * SECTIONS
        found.append(page)
    return found


def cited(client: Client, place: Place) -> Reply:
    answer = client.post("/v1/ask", {"question": "Which rule is about the zebra?"}).json
    return client.get(f"/answers/{answer['id']}/citations/{answer['citations'][0]['number']}")


@pytest.mark.slow
def test_links_lead_through_the_whole_document_and_each_is_checked_anew() -> None:
    with folder_in_memory() as folder, http_place(folder, {**PAPERS, "manual.md": LONG}) as place:
        ana = place.person("ana")
        page = cited(ana, place)
        assert "zebra" in page.text and "<mark" in page.text
        before, after = onward(ana, page, "Earlier"), onward(ana, page, "Later")
        seen = [int(n) for one in (*before[::-1], page, *after) for n in TOLD.findall(one.text)]
        assert len(before) > 0 < len(after) and sorted(set(seen)) == list(range(SECTIONS))
        link = re.search('href="(/answers/[^"]+/passages/[^"]+)">Later', page.text)
        assert link and place.person("ben").get(link[1]).status == 404
        place.home.put_rules("docs", [("**", ["public"]), ("manual.md", ["group:people"])])
        assert ana.get(link[1]).status == 403


def test_a_passage_with_neither_lines_nor_pages_is_named_by_its_number() -> None:
    parts = "".join(f"<h2>Part {n}</h2><p>{word} is here. {'It says little more. ' * 60}</p>"
                    for n, word in enumerate(("A horse", "A cow", "The zebra")))
    with folder_in_memory() as folder, http_place(folder, {"manual.html": f"<h1>Manual</h1>{parts}"}) as place:
        ana, answer = place.person("ana"), place.person("ana").ask_on_page("Where is the zebra?")
        link = re.search(r'href="(/answers/[0-9a-f]+/citations/1)#quote"', answer.text)
        assert link
        number = re.search("docs:manual.html</bdi>, passage ([0-9]+),", ana.get(link[1]).text)
        assert number and int(number[1]) > 1
        found = ana.post("/v1/search", {"query": "zebra"}).json["results"][0]
        assert found["place"] == "" and ana.get(f"/v1/chunks/{found['chunk_id']}").json["number"] == int(number[1])
        declined = ana.ask_on_page("Which giraffe may fly?").text
        assert "closest" in declined and re.search("docs:manual.html</bdi>, passage [0-9]+</span>", declined)


@pytest.mark.parametrize("at", range(12))
def test_pages_of_a_document_meet_and_leave_nothing_out(at: int) -> None:
    whole, most = [{"chunk_id": str(n)} for n in range(12)], 2
    reach = 2 * most + 1
    near = around(whole[max(at - reach, 0) : at + reach + 1], str(at), most)
    shown = [int(one["chunk_id"]) for one in near.passages]
    assert shown == list(range(max(at - most, 0), min(at + most, 11) + 1))
    assert (near.earlier is None, near.later is None) == (shown[0] == 0, shown[-1] == 11)
    if near.earlier is not None:
        assert shown[0] - 1 <= int(near.earlier) + most and int(near.earlier) < shown[0]
    if near.later is not None:
        assert shown[-1] + 1 >= int(near.later) - most and int(near.later) > shown[-1]


def test_the_history_says_how_far_back_it_goes(place: Place) -> None:
    page = place.person("ana").get("/questions").text
    assert _HISTORY == 100 and "Of the last hundred that you asked here" in page
