"""Several tabs of one browser: when somebody else signs in there, when a link leads there, and when many wait."""

from dataclasses import replace
from typing import Any

from homes.memory import folder_in_memory
from http_scene.browser_steps import QUESTION, ask, look, sign_in, until, watched
from http_scene.http_place import http_place
from http_scene.told_progress import STAGE, Told, answering, waiting, waiting_with_a_sentence
from http_scene.watched_browser import NEEDS_BROWSER

pytestmark = NEEDS_BROWSER

TOKENS = "How often are the vault tokens rotated?"


def test_where_somebody_else_signs_in_a_page_that_is_open_becomes_theirs(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        shared = place.person("ana").post("/v1/ask", {"question": QUESTION, "audience": ["user:ben"]}).json["id"]
        page.goto(f"{place.address}/answers/{shared}")
        page.fill("#question", TOKENS)
        sign_in(page.context, "ben")
        look(page)
        page.get_by_text("as user:ben").wait_for()
        assert page.input_value("#question") == ""
        page.goto(f"{place.address}/questions")
        sign_in(page.context, "ana")
        look(page)
        page.get_by_text("as user:ana").wait_for()
        assert QUESTION in page.locator("#main").inner_text()
        sign_in(page.context, "")
        look(page)
        page.get_by_text("public documents only").wait_for()
        assert QUESTION not in page.content()


def test_so_does_the_first_page_and_each_of_operators_and_nothing_is_sent_again(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "ana") as (page, _):
        page.goto(place.address)
        page.fill("#question", TOKENS)
        sign_in(page.context, "olga")
        look(page)
        page.get_by_text("as user:olga").wait_for()
        assert page.input_value("#question") == ""
        page.goto(f"{place.address}/operate/again?source=docs")
        page.fill("#paths", "../words of Olga")
        page.get_by_role("button", name="Look again").click()
        page.get_by_text("does not name a document").wait_for()
        sent = list[str]()
        page.on("request", lambda one: sent.append(one.method))
        page.evaluate("document.querySelector('#paths').mark = 'the same'")
        with page.expect_response("**/"):
            look(page)
        page.wait_for_timeout(200)
        assert page.evaluate("document.querySelector('#paths').mark") == "the same"
        sign_in(page.context, "ben")
        with page.expect_navigation():
            look(page)
        assert "words of Olga" not in page.content() and set(sent) == {"GET"}


def test_a_form_that_is_too_old_serves_once_more_and_keeps_what_was_typed(browser: Any) -> None:
    renewed = "The form was too old. It has been renewed: send it once more."
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        page.goto(place.address)
        page.context.clear_cookies()                        # as after twelve hours
        page.fill("#question", QUESTION)
        page.get_by_role("button", name="Ask").click()
        page.get_by_text(renewed).wait_for()
        assert page.input_value("#question") == QUESTION
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("heading", name=QUESTION).wait_for(timeout=20_000)
        page.context.clear_cookies()
        page.fill("#reason", "It is thirty-one")
        page.get_by_role("button", name="No").click()
        page.get_by_text(renewed).wait_for()
        assert page.input_value("#reason") == "It is thirty-one"
        page.get_by_role("button", name="No").click()
        page.get_by_text("your vote is counted").wait_for()


def test_two_first_pages_of_a_new_browser_both_ask(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, told):
        page.goto(place.address)
        page.context.clear_cookies()                        # the other one was opened before this one had its cookie
        page.context.new_page().goto(place.address)
        with page.expect_response("**/"):
            look(page)
        page.wait_for_timeout(200)
        page.fill("#question", QUESTION)
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("heading", name=QUESTION).wait_for(timeout=20_000)
        assert told == []


def test_a_page_that_waits_becomes_theirs_too_and_a_changed_head_alone_is_taken_over(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, progress=Told([STAGE]))
    ) as place, watched(browser, place, "ana") as (page, _):
        waiting(page, place)
        sign_in(page.context, "ben")
        look(page)
        page.get_by_text("as user:ben").wait_for()
        assert page.get_by_text("Looking for an answer").count() == 0
        page.goto(f"{place.address}/questions")
        page.evaluate("given.head = 'as it was before'; document.querySelector('header').replaceChildren()")
        look(page)
        page.get_by_text("as user:ben").wait_for()


def test_a_link_from_elsewhere_leaves_the_forms_of_other_tabs_alone(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        page.goto(place.address)
        page.fill("#question", TOKENS)
        (before,) = page.context.cookies(place.address)
        other = page.context.new_page()
        other.goto(place.address.replace("127.0.0.1", "localhost"))         # to a browser this is another site
        with other.expect_navigation():
            other.evaluate("address => { location.href = address }", f"{place.address}/questions")
        assert other.get_by_role("heading", name="Your questions").is_visible()
        (after,) = page.context.cookies(place.address)
        assert (after["value"], after["sameSite"]) == (before["value"], "Lax") and after["expires"] > before["expires"]
        page.get_by_role("button", name="Ask").click()
        page.get_by_text("ninety days").first.wait_for()


def test_many_tabs_that_wait_leave_the_service_to_others_and_go_on_where_one_comes_back(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, progress=Told([STAGE]))
    ) as place, watched(browser, place, "ana") as (page, _):
        for _ in range(6):
            tab = page.context.new_page()
            waiting(tab, place)
            tab.get_by_text("Searching the documents: 7").wait_for()
            look(tab, "hidden")
        page.goto(place.address, timeout=10_000)
        with answering(place, folder):
            look(tab)
            tab.locator("h1.question").wait_for(timeout=30_000)


def test_a_refusal_leaves_what_was_typed_to_be_asked_and_a_renewal_what_was_unfolded(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, f"{TOKENS} {QUESTION}")
        page.get_by_text("The numbers").click()
        page.get_by_role("button", name="Yes").focus()
        page.evaluate("given.main = 'as it was before'")
        with page.expect_response("**/*"):
            look(page)
        page.wait_for_timeout(200)
        assert page.get_by_text("Index version").is_visible()
        assert page.evaluate("document.activeElement.textContent") == "Yes"

        page.locator("#question").press_sequentially(QUESTION)
        place.home.put_rules("docs", [("**", ["public"]), ("eng/**", []), ("people/**", [])])
        look(page)
        page.get_by_role("heading", name="Not allowed").wait_for()
        assert "ninety" not in page.content()
        assert page.input_value("#question") == QUESTION and page.locator("[name=follows]").count() == 0
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_role("heading", name=QUESTION).wait_for(timeout=20_000)


def test_a_renewal_that_began_before_a_vote_leaves_what_came_after(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, QUESTION)
        answer, held = page.url, list[Any]()
        page.route(answer, lambda route: held.append(route))
        page.evaluate("given.main = 'as it was before'")
        look(page)
        until(page, lambda: held)
        page.get_by_role("button", name="Yes").click()
        page.get_by_text("your vote is counted").wait_for()
        with page.expect_response(answer):
            held.pop().continue_()
        page.wait_for_timeout(200)
        assert page.get_by_text("your vote is counted").is_visible()
        page.unroute(answer)
        with page.expect_response(answer):
            look(page)
        until(page, lambda: page.evaluate("given.main") != "as it was before")


def test_a_page_that_waited_is_renewed_once_and_takes_the_keyboard_from_nothing(browser: Any) -> None:
    with waiting_with_a_sentence(browser) as one:
        page = one.page
        page.evaluate("for (let n = 0; n < 3; n += 1) source.dispatchEvent(new Event('error'))")    # it asks in a while
        with answering(one.place, one.folder):
            page.locator("h1.question").wait_for(timeout=20_000)
        page.locator("#question").press_sequentially("And who")
        page.wait_for_timeout(2_500)
        assert page.evaluate("document.activeElement.id") == "question"


def test_enter_in_the_reason_is_no_vote(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, QUESTION)
        page.select_option("#category", "wrong")
        page.locator("#reason").press_sequentially("It is thirty-one")
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
        assert page.get_by_text("your vote is counted").count() == 0
        page.get_by_role("button", name="No").click()
        page.get_by_text("your vote is counted").wait_for()
