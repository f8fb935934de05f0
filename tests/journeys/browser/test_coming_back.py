"""Where nobody is signed in any more, what was shown goes and what was typed stays, until its writer comes back."""

import json
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.browser_steps import QUESTION, ask, look, sign_in, until, watched
from http_scene.http_place import HEADER, SECRET, http_place
from http_scene.watched_browser import NEEDS_BROWSER

from bots.http.identity.local import LocalSessions
from flows.shared.home_files.weekly_reports import write_files

pytestmark = NEEDS_BROWSER

TOKENS = "How often are the vault tokens rotated?"
NOBODY = "public documents only"


def test_who_comes_back_finds_the_page_as_it_was_left_and_its_form_serves(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, told):
        ask(page, place, TOKENS)
        page.fill("#question", QUESTION)
        page.fill("#reason", "It is thirty")
        sign_in(page.context, "")
        look(page)
        page.locator("section.answer").wait_for(state="detached")
        assert "ninety" not in page.content() and page.input_value("#question") == QUESTION
        page.fill("#question", f"{QUESTION} Please.")
        page.context.clear_cookies()
        sign_in(page.context, "ana")
        look(page)
        page.get_by_text("as user:ana").wait_for()
        assert "ninety days" in page.locator("section.answer").inner_text()
        assert page.input_value("#question") == f"{QUESTION} Please." and page.input_value("#reason") == "It is thirty"
        page.get_by_role("button", name="Yes").click()
        page.get_by_text("your vote is counted").wait_for()
        assert [one for one in told if "status of 40" not in one] == []


def test_what_was_set_aside_comes_back_only_as_far_as_it_may_be_read(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, TOKENS)
        page.fill("#question", QUESTION)
        sign_in(page.context, "")
        look(page)
        page.locator("section.answer").wait_for(state="detached")
        place.home.put_rules("docs", [("**", ["public"]), ("eng/**", [])])
        sign_in(page.context, "ana")
        look(page)
        page.get_by_text("as user:ana").wait_for()
        assert "ninety" not in page.content() and page.input_value("#question") == QUESTION


def test_nor_does_it_come_back_otherwise_where_a_form_looks_who_it_is(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, TOKENS)
        page.fill("#question", QUESTION)
        sign_in(page.context, "")
        look(page)
        page.locator("section.answer").wait_for(state="detached")
        place.home.put_rules("docs", [("**", ["public"]), ("eng/**", [])])
        sign_in(page.context, "ana")
        page.evaluate("lookWho()")
        assert "ninety" not in page.content() and page.input_value("#question") == QUESTION


def test_another_person_finds_nothing_of_who_was_there_before_nobody(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        page.goto(place.address)
        page.fill("#question", TOKENS)
        sign_in(page.context, "")
        look(page)
        page.get_by_text(NOBODY).wait_for()
        assert page.input_value("#question") == TOKENS
        sign_in(page.context, "ben")
        look(page)
        page.get_by_text("as user:ben").wait_for()
        assert page.input_value("#question") == ""


def test_who_signs_in_keeps_what_they_typed_as_nobody(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place) as (page, _):
        page.goto(place.address)
        page.fill("#question", TOKENS)
        sign_in(page.context, "ana")
        look(page)
        page.get_by_text("as user:ana").wait_for()
        assert page.input_value("#question") == TOKENS
        page.get_by_role("button", name="Ask").click()
        page.get_by_text("ninety days").first.wait_for(timeout=20_000)


@pytest.mark.parametrize("sent", [False, True])
def test_a_question_outlives_the_session_in_which_it_was_typed(browser: Any, sent: bool) -> None:
    """As where `vouch serve` is started anew, and its link opened in another tab."""
    local = LocalSessions("user:ana")
    with folder_in_memory() as folder, http_place(folder, local=local) as place, watched(browser, place) as (page, _):
        page.goto(f"{place.address}/enter?token={local.token}")
        page.fill("#question", QUESTION)
        local._sessions.clear()
        local._token = "again"
        if sent:
            page.get_by_role("button", name="Ask").click()
            page.get_by_text("the session has ended").wait_for()
        look(page)
        page.get_by_role("heading", name="Who asks is not known").wait_for()
        assert page.input_value("#question") == QUESTION
        page.context.new_page().goto(f"{place.address}/enter?token=again")
        look(page)
        page.get_by_text("as user:ana").wait_for()
        assert page.input_value("#question") == QUESTION
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("heading", name=QUESTION).wait_for(timeout=20_000)


def test_a_page_that_told_nobody_becomes_that_of_who_signs_in(browser: Any) -> None:
    local = LocalSessions("user:ana")
    with folder_in_memory() as folder, http_place(folder, local=local) as place, watched(browser, place) as (page, _):
        page.goto(f"{place.address}/enter?token={local.token}")
        local._sessions.clear()
        local._token = "again"
        page.goto(f"{place.address}/questions")
        page.get_by_role("heading", name="Who asks is not known").wait_for()
        page.context.new_page().goto(f"{place.address}/enter?token=again")
        look(page)
        page.get_by_role("heading", name="Your questions").wait_for()


def test_what_an_operator_typed_comes_back_also_on_a_page_that_a_form_was_sent_to(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, _):
        page.goto(f"{place.address}/operate/again?source=docs")
        page.fill("#paths", "../words of Olga")
        page.get_by_role("button", name="Look again").click()
        page.get_by_text("does not name a document").wait_for()
        sign_in(page.context, "")
        look(page)
        page.locator("#paths").wait_for(state="detached")
        assert "words of Olga" not in page.content()
        sign_in(page.context, "olga")
        look(page)
        page.locator("#paths").wait_for()
        assert page.input_value("#paths") == "../words of Olga"


def test_a_page_whose_address_alone_names_a_person_stays(browser: Any) -> None:
    def operates(route: Any) -> None:
        signed = {HEADER.lower(): "olga", "x-vouch-proxy-secret": SECRET} if "/operate" in route.request.url else {}
        route.continue_(headers={**route.request.headers, **signed})

    with folder_in_memory() as folder, http_place(folder, works=False) as place, watched(browser, place) as (page, _):
        page.route("**/*", operates)
        page.goto(f"{place.address}/operate/again?source=docs")
        page.fill("#paths", "typed")
        for _again in range(2):
            with page.expect_response("**/operate/again?source=docs"):
                look(page)
            page.wait_for_timeout(200)
            assert page.input_value("#paths") == "typed"


def test_a_page_that_stays_for_minutes_becomes_theirs_at_once(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, _):
        report = {"from": "2026-10-26", "until": "2026-11-23", "fewest_askers": 3, "gaps": []}
        write_files(place.home.bench.home, place.home.now.date(), {"json": json.dumps(report)})
        page.goto(f"{place.address}/operate/quality/gaps")
        page.get_by_role("button", name="Look now").click()
        page.locator("[data-look='600000']").wait_for()
        sign_in(page.context, "ben")
        with page.expect_navigation():
            look(page)
        assert page.get_by_text("Nothing was asked in vain").count() == 0


def test_a_page_that_becomes_theirs_is_the_same_one_in_full(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, _):
        page.goto(f"{place.address}/operate/documents?source=docs")
        sign_in(page.context, "ben")
        with page.expect_navigation():
            look(page)
        assert page.url == f"{place.address}/operate/documents?source=docs"


def test_where_looks_are_sent_to_another_service_to_sign_in_nothing_stays(browser: Any) -> None:
    """As a proxy does whose session has ended."""
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, TOKENS)
        elsewhere = place.address.replace("127.0.0.1", "localhost")
        page.route(f"{place.address}/**", lambda route: route.fulfill(status=302, headers={"Location": elsewhere}))
        look(page)
        page.wait_for_url(f"{elsewhere}/**")
        assert "ninety" not in page.content()


def test_what_was_asked_before_somebody_left_again_brings_nothing_back(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, TOKENS)
        sign_in(page.context, "")
        look(page)
        page.locator("section.answer").wait_for(state="detached")
        asked = list[Any]()

        def second_is_late(route: Any) -> None:
            asked.append((route, route.fetch()))
            if len(asked) != 2:
                route.fulfill(response=asked[-1][1])

        sign_in(page.context, "ana")
        page.route(page.url, second_is_late)
        look(page)                      # asks who it is, and then what may be read
        until(page, lambda: len(asked) >= 2)
        page.wait_for_timeout(500)
        assert len(asked) == 2
        sign_in(page.context, "")
        page.evaluate("lookWho()")
        route, reply = asked[1]
        route.fulfill(response=reply)
        page.wait_for_timeout(500)
        assert "ninety" not in page.content()


def test_a_page_that_may_not_be_opened_any_more_does_not_come_back(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "olga") as (page, _):
        page.goto(f"{place.address}/operate/documents?source=docs")
        page.get_by_text("eng/tokens.md").first.wait_for()
        sign_in(page.context, "")
        look(page)
        page.get_by_text("eng/tokens.md").first.wait_for(state="detached")
        page.route("**/operate/documents?source=docs", lambda route: route.fulfill(
            response=route.fetch(url=f"{place.address}/"), status=403))
        sign_in(page.context, "olga")
        look(page)
        page.get_by_text("as user:olga").wait_for()
        assert "tokens.md" not in page.content()


def test_the_back_button_gives_nobody_what_another_typed(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "ana") as (page, _):
        page.goto(place.address)
        page.fill("#question", "A secret of Ana's")
        page.goto(f"{place.address}/about")
        sign_in(page.context, "ben")
        page.go_back()
        page.get_by_text("as user:ben").wait_for()
        assert page.input_value("#question") == ""
