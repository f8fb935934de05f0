"""No page, of people or of operators, has a barrier that axe-core knows."""

from dataclasses import replace
from typing import Any

from homes.memory import folder_in_memory
from http_scene.browser_steps import QUESTION, ask, barriers, is_wider_than_a_phone, watched
from http_scene.http_place import http_place
from http_scene.seen_by_operators import shadowed_promoted_and_put_back, something_to_see
from http_scene.told_progress import STAGE, Told, waiting
from http_scene.watched_browser import NEEDS_BROWSER
from learning_scene.registry_rows import evaluator_row, fusion_row, promote

from bots.http.identity.local import LocalSessions

pytestmark = NEEDS_BROWSER


def test_operators_pages_have_no_barrier_that_axe_knows(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, told):
        something_to_see(place)
        page.goto(f"{place.address}/operate/status")
        replay, found = page.locator("td a[href*=replay]").get_attribute("href"), dict[Any, Any]()
        promote(place.home.bench.ledger, evaluator_row())
        shadowed_promoted_and_put_back(place)
        for path in ("status", "runs", "versions", "versions/version?number=2", "versions/rollback?number=1",
                     "versions/release", "versions/difference?older=1&newer=2", "models/rollback?kind=evaluator",
                     "sources", "documents?source=docs", "access?document=docs:eng/tokens.md",
                     "person?person=user:ana&source=docs", "again?source=docs", "upload", "quality",
                     "quality/report?name=answers-21000101T000000", "quality/drift", "quality/gaps", "models",
                     f"models/model?name={fusion_row().name}", replay.removeprefix("/operate/"), "answers", "acts"):
            page.goto(f"{place.address}/operate/{path}")
            found |= {(path, rule): places for rule, places in barriers(page).items()}
            if is_wider_than_a_phone(page):
                found[path, "is wider than 360 px"] = True
        assert found == {} and told == []


def test_what_operators_are_told_once_it_is_done_has_no_barrier_that_axe_knows(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, told):
        found = {}
        page.goto(f"{place.address}/operate/upload")
        page.set_input_files("#file", {"name": "parking.md", "mimeType": "text/markdown", "buffer": b"# Parking\n"})
        page.get_by_label("I know who will read it").check()
        page.get_by_role("button", name="Upload").click()
        page.get_by_text("it may be read by public").wait_for()
        found["uploaded"] = barriers(page)
        page.goto(f"{place.address}/operate/again?source=docs")
        page.locator("main form button").last.click()
        page.get_by_role("heading", name="announced").wait_for()
        found["announced"] = barriers(page)
        assert place.home.ingest(["docs"])
        page.goto(f"{place.address}/operate/versions/rollback?number=1")
        page.get_by_role("button", name="Go back to version 1").click()
        page.get_by_text("has the documents of version 1").wait_for()
        found["rolled back"] = barriers(page)
        page.goto(f"{place.address}/operate/versions/release")
        page.locator("main form button").wait_for()
        found["release"] = barriers(page)
        assert not any(found.values()) and told == []


def test_pages_have_no_barrier_that_axe_knows(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "olga") as (page, _):
        ask(page, place, QUESTION)
        answer, found = page.url, {}
        page.goto(f"{answer}/trace")
        candidate = page.locator(".candidates a").first.get_attribute("href")
        ask(page, place, "How often are the vault tokens rotated?")             # declined: olga may not read it
        closest = page.locator("a[href*='/passages/']").first.get_attribute("href")
        for path in ("/", "/questions", answer, page.url, f"{answer}/citations/1", f"{answer}/trace", candidate,
                     closest,
                     "/operate/status", "/operate/versions", "/operate/sources", "/operate/documents?source=docs",
                     "/operate/access", "/nothing"):
            page.goto(path if path.startswith("http") else place.address + path)
            found |= {(path, rule): places for rule, places in barriers(page).items()}
            if is_wider_than_a_phone(page):
                found[path, "is wider than 360 px"] = ["the page"]
        place.home.put_rules("docs", [("**", ["group:eng"])])                   # not to be read any more
        page.goto(answer)
        page.get_by_text("may not read it any more").wait_for()
        found |= {("revoked", rule): places for rule, places in barriers(page).items()}
        assert found == {} and not is_wider_than_a_phone(page)


def test_pages_before_and_after_a_session_and_refused_forms_have_no_barrier_that_axe_knows(browser: Any) -> None:
    local, found = LocalSessions("user:olga"), dict[str, Any]()
    with folder_in_memory() as folder, http_place(folder, works=False, local=local) as place, \
            watched(browser, place) as (page, _):

        def look(name: str) -> None:
            found.update({f"{name}: {rule}": places for rule, places in barriers(page).items()})
            if is_wider_than_a_phone(page):
                found[f"{name} is wider than 360 px"] = True

        page.goto(place.address)
        look("of a stranger")
        link = f"{place.address}/enter?token={local.token}"
        page.goto(link)
        assert page.locator(".who").inner_text() == "as user:olga"
        page.goto(f"{place.address}/operate/again?source=docs")
        page.fill("#paths", "../elsewhere.md")
        page.locator("main form button").last.click()
        page.get_by_text("Nothing was changed").wait_for()
        look("a refused form")
        page.goto(place.address)
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("heading", name="Signed out").wait_for()
        assert "start vouch serve again" in page.locator("main").inner_text()
        look("signed out")
        page.goto(link)
        page.get_by_text("the link was used before").wait_for()
        look("a link that was used")
    assert found == {}


def test_a_page_that_waits_has_no_barrier_that_axe_knows(browser: Any) -> None:
    told_of = Told([STAGE])
    with folder_in_memory() as folder, \
            http_place(folder, works=False, changed=lambda service: replace(service, progress=told_of)) as place, \
            watched(browser, place, "ana") as (page, _):
        waiting(page, place)
        page.get_by_text("Reading the closest passages …").wait_for()
        assert barriers(page) == {}


def test_axe_would_see_a_barrier(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, watched(browser, place) as (page, _):
        page.goto(place.address)
        page.evaluate("document.querySelector('label').remove()")
        assert "label in light" in barriers(page)


def test_axe_would_see_a_target_that_is_hard_to_hit(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, watched(browser, place) as (page, _):
        page.goto(place.address)
        page.evaluate("""() => { const one = document.querySelector('main button').cloneNode();
                                 one.textContent = 'x'; one.style.cssText = 'all: revert; height: 9px; padding: 0';
                                 document.querySelector('main button').before(one, one.cloneNode(true)) }""")
        assert "target-size in light" in barriers(page)
