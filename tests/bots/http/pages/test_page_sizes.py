"""Pages that are full of rows stay small, with all that they load."""

import re
from importlib.resources import files
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import Place, http_place

from bots.http.identity.caller import Caller
from bots.http.page.rendering import MOST, Rendering
from services.operating.document_looks import SHOWN

BOUND, MANY = 150_000, 1_000
LOADED = sum(len((files("bots.http.page") / "static" / name).read_bytes())
             for name in ("style.css", "htmx.min.js", "vouch.js"))


def path_of(number: int) -> str:
    return f"handbook/chapter-{number:04}/introduction.md"


def size_of(text: str) -> int:
    return len(text.encode()) + LOADED


def test_what_is_counted_is_what_a_page_loads() -> None:
    page = Rendering().piece(
        "problem.html", problem={"title": "", "detail": "", "cure": "", "status": 404, "request_id": ""},
        may_help=False)
    assert set(re.findall(r"/static/([a-z.]+)\?", page)) == {"style.css", "htmx.min.js", "vouch.js"} and LOADED > 50_000


@pytest.mark.slow
def test_full_pages_of_documents_of_a_source_and_of_a_person_are_small_and_lead_on() -> None:
    papers = {path_of(number): f"# {number}\n\nWords.\n" for number in range(SHOWN + 1)}
    with folder_in_memory() as folder, http_place(folder, papers, works=False) as place:
        for address in ("documents?source=docs", "person?person=user:ana&source=docs"):
            _is_full_and_small(place, address)


def _is_full_and_small(place: Place, address: str) -> None:
    page = place.person("olga").get(f"/operate/{address}").text
    assert page.count("<bdi>handbook/chapter-") == SHOWN and size_of(page) < BOUND
    assert f"<bdi>{path_of(SHOWN)}</bdi>" not in page
    following = re.search('href="([^"]+)">The next ones', page)
    assert following
    last = place.person("olga").get(following[1].replace("&amp;", "&")).text
    assert f"<bdi>{path_of(SHOWN)}</bdi>" in last and "The next ones" not in last


DOCUMENTS = [{"path": path_of(number), "readers": "group:engineering, group:support", "state": "quarantined",
              "reason": "the file is encrypted, and nobody gave a password"} for number in range(SHOWN)]
PEOPLE = [{"person": f"user:person-{number:04}@acme.example", "through": ["engineering"], "until": None}
          for number in range(MANY)]
VERSIONS = [{"version": number, "parent": number - 1, "state": "published", "current": False,
             "created_at": "2026-03-10T08:00:00", "told": "12 added, 3 changed, 1 renamed, 2 removed"}
            for number in range(1, MANY + 1)]
PLACES = [f"docs:{path_of(number)}" for number in range(MANY)]
REPORT = {"documents": {"added": MANY}, "chunks": {"added": MANY}, "embedded": MANY, "seconds": 3,
          **{name: [{"source": "docs", "path": path_of(number), "reason": "it is not text"} for number in range(MANY)]
             for name in ("problems", "skipped")},
          **dict.fromkeys(("warnings", "notes"), PLACES)}
FULL: dict[str, dict[str, Any]] = {
    "documents": {"source": "docs", "state": "quarantined", "counts": {"quarantined": MANY}, "documents": DOCUMENTS,
                  "more": True},
    "access": {"document": PLACES[0], "person": "", "found": None, "refused": "", "readers": {
        "source": "docs", "path": path_of(0), "public": False, "groups": ["engineering"], "people": PEOPLE,
        "tags": ["group:engineering"], "narrowed": None, "owners": [], "state": "indexed"}},
    "versions": {"refused": "", "hold": None, "versions": VERSIONS},
    "difference": {"difference": {
        "older": 1, "newer": 2, **dict.fromkeys(("added", "changed", "renamed", "removed"), PLACES),
        "chunks": {"added": MANY}}},
    "version": {"version": {**VERSIONS[-1], "report": REPORT}},
    "announced": {"source": "docs", "paths": PLACES},
}


@pytest.mark.parametrize("name", FULL)
def test_full_pages_for_operators_are_small_and_say_that_there_is_more(name: str) -> None:
    page = Rendering().piece(f"operate/{name}.html", caller=Caller("user:olga", "proxy"), mark="0" * 64, operates=True,
                             **FULL[name])
    assert size_of(page) < BOUND
    assert name != "versions" or f'number={MANY}"' in page                    # the newest are those that are shown
    assert f"{MOST} are shown" in page or f"first {MOST} of" in page or "The next ones" in page
