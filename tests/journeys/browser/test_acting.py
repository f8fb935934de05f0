"""What somebody does on a page while it is renewed, and forms that are too old."""

import time
from dataclasses import replace
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.browser_steps import QUESTION, ask, look, sign_in, until, watched
from http_scene.http_place import Place, http_place
from http_scene.told_progress import STAGE, Told, answering, waiting, waiting_with_a_sentence
from http_scene.watched_browser import NEEDS_BROWSER

from bots.http.identity.local import LocalSessions

pytestmark = NEEDS_BROWSER

TOKENS = "How often are the vault tokens rotated?"
RENEWED = "The form was too old. It has been renewed: send it once more."


def only_engineers_lose(place: Place) -> None:
    place.home.put_rules("docs", [("**", ["public"]), ("eng/**", []), ("people/**", [])])


def hanging_vote(page: Any) -> list[Any]:
    held = list[Any]()
    page.route("**/vote", lambda route: held.append(route))
    page.get_by_role("button", name="Yes").click()
    until(page, lambda: held)
    page.wait_for_timeout(200)
    assert len(held) == 1
    return held


def test_revoked_words_go_while_a_vote_is_on_its_way(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, TOKENS)
        hanging_vote(page)
        only_engineers_lose(place)
        look(page)
        page.get_by_text("may not read it any more").wait_for()
        assert "ninety" not in page.content()


def test_a_page_becomes_theirs_while_a_vote_is_on_its_way(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, TOKENS)
        hanging_vote(page)
        sign_in(page.context, "ben")
        look(page)
        page.get_by_text("as user:ben").wait_for()
        assert "ninety" not in page.content()


def test_a_look_that_began_while_a_vote_was_on_its_way_leaves_its_thanks(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, QUESTION)
        answer, looks = page.url, list[Any]()
        votes = hanging_vote(page)
        page.evaluate("given.main = 'as it was before'")
        page.route(answer, lambda route: looks.append((route, route.fetch())))
        look(page)
        until(page, lambda: looks)
        votes.pop().continue_()
        page.get_by_text("your vote is counted").wait_for()
        route, before = looks.pop()
        route.fulfill(response=before)
        page.wait_for_timeout(300)
        assert page.get_by_text("your vote is counted").is_visible()


def test_of_two_looks_the_one_that_began_first_takes_nothing_back(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, TOKENS)
        answer, looks = page.url, list[Any]()
        page.evaluate("given.main = 'as it was before'")
        page.route(answer, lambda route: looks.append((route, route.fetch())), times=1)
        look(page)
        until(page, lambda: looks)
        only_engineers_lose(place)
        look(page)
        page.get_by_text("may not read it any more").wait_for()
        route, before = looks.pop()
        route.fulfill(response=before)
        page.wait_for_timeout(300)
        assert "ninety" not in page.content()


def test_a_page_that_waited_is_not_renewed_by_what_it_asked_before(browser: Any) -> None:
    with waiting_with_a_sentence(browser) as one:
        page, looks = one.page, list[Any]()
        page.route(page.url, lambda route: looks.append(route), times=1)
        page.evaluate("for (let n = 0; n < 3; n += 1) source.dispatchEvent(new Event('error'))")    # it asks in a while
        until(page, lambda: looks)
        look(page, "hidden")
        with answering(one.place, one.folder):
            look(page)
            page.locator("h1.question").wait_for(timeout=20_000)
        page.locator("#question").press_sequentially("And who")
        looks.pop().continue_()
        page.wait_for_timeout(500)
        assert page.evaluate("document.activeElement.id") == "question"


def test_the_keyboard_stays_at_the_button_of_a_form_that_was_too_old(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        page.goto(place.address)
        page.fill("#question", QUESTION)
        page.context.clear_cookies()
        page.get_by_role("button", name="Ask").press("Enter")
        page.get_by_text(RENEWED).wait_for()
        assert page.evaluate("document.activeElement.textContent") == "Ask"
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=QUESTION).wait_for(timeout=20_000)


def test_a_browser_without_cookies_is_told_once_that_a_form_was_renewed(browser: Any) -> None:
    def without_cookies(route: Any) -> None:
        reply = route.fetch()
        kept = {name: value for name, value in reply.headers.items() if name.lower() != "set-cookie"}
        route.fulfill(response=reply, headers=kept)
        page.context.clear_cookies()

    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        page.route("**/*", without_cookies)
        page.goto(place.address)
        page.fill("#question", QUESTION)
        page.get_by_role("button", name="Ask").click()
        page.get_by_text(RENEWED).wait_for()
        page.get_by_role("button", name="Ask").click()
        page.get_by_text("the form is too old, or was not made by this service").wait_for()
        page.wait_for_timeout(500)
        assert page.get_by_text(RENEWED).count() == 0


def test_a_form_that_a_look_renewed_while_it_was_on_its_way_can_be_sent_once_more(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        page.goto(place.address)
        page.fill("#question", QUESTION)
        page.context.clear_cookies()
        held = list[Any]()
        page.route("**/ask", lambda route: held.append(route), times=1)
        page.get_by_role("button", name="Ask").click()
        with page.expect_response("**/"):
            look(page)
        page.wait_for_timeout(200)
        held.pop().continue_()
        page.get_by_text(RENEWED).wait_for()
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("heading", name=QUESTION).wait_for(timeout=20_000)


def test_thanks_for_a_vote_stay_where_its_form_was_renewed(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, QUESTION)
        page.context.clear_cookies()
        page.get_by_role("button", name="No").click()
        page.get_by_text(RENEWED).wait_for()
        page.get_by_role("button", name="No").click()
        page.get_by_text("your vote is counted").wait_for()
        with page.expect_response(lambda reply: "/answers/" in reply.url):
            look(page)
        page.wait_for_timeout(300)
        assert page.get_by_text("your vote is counted").is_visible()


def test_a_form_that_loads_a_page_is_renewed_before_it_is_sent(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, told):
        page.goto(f"{place.address}/operate/again?source=docs")
        page.fill("#paths", "eng/tokens.md")
        page.context.clear_cookies()
        page.route(f"{place.address}/", lambda route: (time.sleep(0.5), route.continue_()))
        posted: list[str] = []
        page.on("request", lambda one: posted.append(one.url) if one.method == "POST" else None)
        page.get_by_role("button", name="Look again").dblclick()
        page.get_by_text("eng/tokens.md").wait_for()
        assert "Not allowed" not in page.content() and told == []
        assert len(posted) == 1


def test_it_is_sent_once_however_slow_its_page_is_and_also_where_no_mark_comes(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, _):
        page.goto(f"{place.address}/operate/again?source=docs")
        looks, sent = list[Any](), list[Any]()
        page.route(f"{place.address}/", lambda route: looks.append(route))
        page.route(f"{place.address}/operate/again", lambda route: sent.append(route))
        # by the page itself: Playwright does nothing on a page while the next one is on its way
        page.evaluate("setInterval(() => document.querySelector('#main form button').click(), 1000)")
        until(page, lambda: sent)
        page.wait_for_timeout(4000)
        assert (len(looks), len(sent)) == (1, 1)


def test_one_signs_out_on_a_page_that_waits_however_old_it_is(browser: Any) -> None:
    local = LocalSessions("user:ana")
    with folder_in_memory() as folder, http_place(
        folder, works=False, local=local, changed=lambda service: replace(service, progress=Told([STAGE]))
    ) as place, watched(browser, place) as (page, _):
        page.goto(f"{place.address}/enter?token={local.token}")
        waiting(page, place)
        page.context.clear_cookies(name="vouch_browser")
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("heading", name="Signed out").wait_for()


def test_who_signs_out_while_the_page_is_renewed_is_signed_out(browser: Any) -> None:
    local = LocalSessions("user:ana")
    with folder_in_memory() as folder, http_place(folder, works=False, local=local) as place, \
            watched(browser, place) as (page, _):
        page.goto(f"{place.address}/enter?token={local.token}")
        looks = list[Any]()
        page.route(f"{place.address}/", lambda route: looks.append(route), times=1)
        page.get_by_role("button", name="Sign out").click()
        until(page, lambda: looks)
        page.evaluate("put('body > header', document.querySelector('body > header').innerHTML, 'innerHTML')")
        looks.pop().continue_()
        page.get_by_role("heading", name="Signed out").wait_for()


def test_of_each_form_it_is_said_that_it_was_renewed(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, QUESTION)
        page.context.clear_cookies()
        page.get_by_role("button", name="No").click()
        page.get_by_text(RENEWED).wait_for()
        page.context.clear_cookies()
        page.fill("#question", TOKENS)
        page.get_by_role("button", name="Ask").click()
        page.locator("form.ask").get_by_text(RENEWED).wait_for()


@pytest.mark.parametrize("status", [200, 502])
def test_where_a_proxy_answers_in_the_services_place_it_is_said_and_nothing_is_lost(
    browser: Any, status: int
) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, QUESTION)
        page.fill("#question", TOKENS)
        for at in ("**/ask", "**/vote"):
            page.route(at, lambda route: route.fulfill(
                status=status, content_type="text/html", body="<h1>Not vouch</h1>"), times=1)
        page.get_by_role("button", name="Ask").click()
        page.locator("form.ask").get_by_text("It did not reach the service").wait_for()
        page.get_by_role("button", name="Yes").click()
        page.locator("form.vote").get_by_text("It did not reach the service").wait_for()
        page.get_by_role("button", name="Yes").click()
        page.get_by_text("your vote is counted").wait_for()
        assert page.input_value("#question") == TOKENS


def test_who_signs_out_while_another_form_is_under_way_is_signed_out(browser: Any) -> None:
    local = LocalSessions("user:olga")
    with folder_in_memory() as folder, http_place(folder, works=False, local=local) as place, \
            watched(browser, place) as (page, _):
        page.goto(f"{place.address}/enter?token={local.token}")
        page.goto(f"{place.address}/operate/again?source=docs")
        page.route(f"{place.address}/", lambda route: (time.sleep(0.7), route.continue_()))
        page.evaluate("""document.querySelector("#main form button").click();
                         document.querySelector("body > header form button").click()""")
        page.get_by_role("heading", name="Signed out").wait_for()
