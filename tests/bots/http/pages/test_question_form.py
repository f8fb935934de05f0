"""A question that cannot be taken comes back in its form, with the reason beside the field that it is about."""

import re
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_client import Client, Reply
from http_scene.http_place import HEADER, SECRET, Place, http_place

from bots.http.identity.caller import Caller, Credentials
from bots.http.identity.identities import Identities
from bots.http.identity.proxy import TrustedProxy
from bots.http.page import rendering
from vouch.errors import Denied, Guarded, LedgerDown, VouchError

TEMPLATES = Path(rendering.__file__).parent / "templates"
QUESTION = "How often are the vault tokens rotated?"


def sent(client: Client, **fields: str) -> Reply:
    return client.form("/ask", {"mark": client.get("/").mark, **fields})


def field(page: str, name: str) -> str:
    """The element with that id, and what stands behind it."""
    found = re.search(rf'<\w+ id="{name}"(?s:.*?)</form>', page)
    assert found, page
    return found[0]


@pytest.mark.parametrize(("question", "audience", "wrong", "told"), [
    (" ", "user:ben", "question", "the question is empty"),
    ("\x00", "user:ben", "question", ""),
    (QUESTION + "?" * 4000, "", "question", "4,000"),
    (QUESTION, "ben", "audience", "is not an access tag"),
    (QUESTION, "user:ben, <b>", "audience", "is not an access tag"),
    (QUESTION, " ".join(f"user:p{n}" for n in range(60)), "audience", "50 further readers at most"),
])
def test_a_mistake_leads_back_to_the_form(place: Place, question: str, audience: str, wrong: str, told: str) -> None:
    page = sent(place.person("ana"), question=question, audience=audience, follows="")
    assert page.status == 422 and complaints(page.text) == [] and page.mark
    alerts = re.findall(r'<div class="told" id="wrong" role="alert">(?s:(.*?))</div>\s*</div>', page.text)
    assert len(alerts) == 1 and told in alerts[0] and "Try:" in alerts[0]
    assert field(page.text, wrong).index('aria-invalid="true"') < field(page.text, wrong).index('id="wrong"')
    assert page.text.count("aria-invalid") == 1 and "Status 422" not in page.text
    if question == QUESTION:
        assert f"\n{QUESTION}</textarea>" in page.text
        assert f'value="{escape(audience)}"' in page.text
    assert ("<details open>" in page.text) == bool(audience)


def test_how_far_to_look_is_chosen_and_comes_back_with_the_form(place: Place) -> None:
    ana = place.person("ana")
    page = sent(ana, question=" ", steps="4")
    assert page.status == 422 and "<option selected>4</option>" in page.text and complaints(page.text) == []
    assert page.text.count("<details open>") == 1
    for wrong in ("9", "-1", "04", "four", "4" * 5000):
        refused = sent(ana, question=QUESTION, steps=wrong)
        assert refused.status == 400 and "0 to 8 further steps" in refused.text and QUESTION in refused.text


def test_what_comes_back_is_asked_once_it_is_mended(place: Place) -> None:
    ana = place.person("ana")
    page = sent(ana, question=QUESTION, audience="ben")
    answer = ana.form("/ask", {"mark": page.mark, "question": QUESTION, "audience": ""})
    assert answer.status == 303 and "every ninety days" in ana.get(answer.headers["location"]).text


_FIELD_VALUE = re.compile(r'(?:<input[^>]*? value=|<textarea[^>]*>\n?)"?\{\{(.*?)\}\}')
JOINED = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f467 &amp; \u202e<b>?"


def test_what_a_field_sends_again_is_what_was_typed(place: Place) -> None:
    ana = place.person("ana")
    page = sent(ana, question=JOINED, audience=f"user:{JOINED}")
    assert f"\n{escape(JOINED, quote=False)}</textarea>" in page.text and complaints(page.text) == []
    assert f'value="user:{escape(JOINED)}"' in page.text
    answer = ana.ask_on_page(JOINED)
    assert f'name="question" value="{escape(JOINED)}"' in answer.text and complaints(answer.text) == []
    heading = answer.text.partition("<h1")[2].partition("</h1>")[0]
    assert "\\u202e" in heading and "\u202e" not in heading, "shown as what it is where it is only read"


def test_each_field_of_each_page_sends_its_value_as_it_is() -> None:
    pages = sorted(TEMPLATES.rglob("*.html"))
    found = [(page.name, value) for page in pages for value in _FIELD_VALUE.findall(page.read_text())]
    assert len(found) > 30 and [one for one in found if not one[1].endswith("|field ")] == []


def test_it_still_follows_up_on_what_it_did(place: Place) -> None:
    ana = place.person("ana")
    answer = re.search(r'name="answer" value="([0-9a-f]{32})"', ana.ask_on_page(QUESTION).text)
    assert answer
    page = sent(ana, question="And by whom?", audience="ben", follows=answer[1])
    assert f'name="follows" value="{answer[1]}"' in page.text and f'href="/answers/{answer[1]}"' in page.text
    gone = sent(place.person("ben"), question="And by whom?", follows=answer[1])
    assert gone.status == 404 and 'name="follows"' not in gone.text and ">\nAnd by whom?</textarea>" in gone.text


def test_a_form_that_is_too_old_comes_back_with_what_was_typed(place: Place) -> None:
    ana = place.person("ana")
    answer = re.search(r'name="answer" value="([0-9a-f]{32})"', ana.ask_on_page(QUESTION).text)
    assert answer
    fields = {"mark": "0" * 64, "question": f"{QUESTION} <b>", "audience": "user:ben", "follows": answer[1]}
    page = ana.form("/ask", fields)
    assert page.status == 403 and complaints(page.text) == [] and "the form is too old" in page.text
    assert f">\n{QUESTION} &lt;b&gt;</textarea>" in page.text and 'value="user:ben"' in page.text
    assert f'name="follows" value="{answer[1]}"' in page.text and "as <bdi>user:ana</bdi>" in page.text
    assert ana.form("/ask", {**fields, "mark": page.mark}).status == 303


def test_where_nobody_knows_who_asks_the_question_stays_and_the_mark_serves_once_that_is_known() -> None:
    with folder_in_memory() as folder, http_place(folder, anonymous=False) as place:
        ana = place.person("ana")
        mark, signed = ana.get("/").mark, dict(ana.headers)
        ana.headers.clear()
        page = ana.form("/ask", {"mark": mark, "question": QUESTION})
        assert page.status == 401 and f">\n{QUESTION}</textarea>" in page.text and page.mark == mark
        assert 'class="who"' not in page.text and complaints(page.text) == []
        ana.headers.update(signed)
        assert ana.form("/ask", {"mark": page.mark, "question": QUESTION}).status == 303


def test_whoever_asks_too_often_keeps_the_question() -> None:
    ways = [TrustedProxy(HEADER, ["127.0.0.1"], SECRET)]
    paced = Identities(ways, anonymous=True, per_minute=1)
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, identities=paced)
    ) as place:
        page = sent(place.person("ana"), question=QUESTION)
        assert page.status == 429 and f">\n{QUESTION}</textarea>" in page.text and 'class="who"' not in page.text
        assert page.headers["retry-after"] == "60"


class MayFail(TrustedProxy):
    """Who asks is found out on a machine that may be down."""

    down = False

    def caller(self, credentials: Credentials) -> Caller | None:
        if self.down:
            raise LedgerDown("the secret cause")
        return super().caller(credentials)


def test_where_nobody_can_find_out_who_asks_the_question_stays() -> None:
    way = MayFail(HEADER, ["127.0.0.1"], SECRET)
    with folder_in_memory() as folder, http_place(
        folder, changed=lambda service: replace(service, identities=Identities([way], anonymous=True))
    ) as place:
        ana = place.person("ana")
        mark = ana.get("/").mark
        way.down = True
        page = ana.form("/ask", {"mark": mark, "question": QUESTION, "audience": "user:ben"})
        assert page.status == 503 and f">\n{QUESTION}</textarea>" in page.text and 'value="user:ben"' in page.text
        assert page.mark == mark and page.headers["retry-after"] == "5"
        assert "secret" not in page.text and 'class="who"' not in page.text and complaints(page.text) == []
        way.down = False
        assert ana.form("/ask", {"mark": page.mark, "question": QUESTION}).status == 303


class Failing:
    """Implements Questions where none is taken."""

    def __init__(self, questions: Any, error: VouchError) -> None:
        self._questions, self._error = questions, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._questions, name)

    def ask(self, *_: Any, **__: Any) -> str:
        raise self._error


@pytest.mark.parametrize(("error", "status", "after"), [
    (Guarded("too many"), 429, "60"), (LedgerDown("the secret cause"), 503, "5"), (Denied("not for you"), 403, None),
])
def test_where_it_fails_the_question_stays_too(error: VouchError, status: int, after: str | None) -> None:
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, questions=Failing(service.questions, error))
    ) as place:
        page = sent(place.person("ana"), question=QUESTION)
        assert page.status == status and f">\n{QUESTION}</textarea>" in page.text
        assert page.headers.get("retry-after") == after
        assert "secret" not in page.text and "aria-invalid" not in page.text and 'class="error"' in page.text
        assert (page.headers["x-request-id"] in page.text) == (status == 503)
