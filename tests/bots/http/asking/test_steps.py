"""Questions of several steps through the log, a worker and the ledger, as HTTP asks them and tells of them."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_place import RULES, Place, http_place
from pydantic import ValidationError

from bots.http.api.forms import Question, Search
from services.answering.partly_readable import chunks_named, steps_told
from vouch.correction.planning.limits import Limits
from vouch.errors import Denied

PAPERS = {
    "gateway.md": "# Payment gateway\n\nThe payment gateway is owned by the Falcon team.\n",
    "falcon.md": "# Falcon\n\nFalcon is on call from Monday to Friday. Its lead is Mara Lind.\n",
    "eng/heron.md": "# Heron\n\nHeron is the team of the vault. Its lead is Ole Berg.\n",
    "leave.md": "# Leave\n\nEverybody has thirty days of paid leave in a year.\n",
}
CHAIN = "Who leads the team that owns the payment gateway?"
PLAIN = "How many days of paid leave has everybody in a year?"


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder, PAPERS, rules=RULES) as made:
        yield made


@pytest.fixture(scope="module")
def by_default() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder, PAPERS, rules=RULES, steps=Limits(by_default=3)) as made:
        yield made


def ask(place: Place, text: str, person: str = "ana", key: str | None = None, **more: Any) -> Any:
    place.home.now += timedelta(seconds=1)
    headers = {"Idempotency_Key": key} if key else {}
    return place.person(person).post("/v1/ask", {"question": text} | more, **headers).json


def test_the_steps_of_an_answer_come_through_the_worker_into_answer_ledger_and_trace(place: Place) -> None:
    answer = ask(place, CHAIN, steps=4)
    assert answer["stopped"] and len(answer["steps"]) >= 2
    bridge = next(one for one in answer["steps"] if "Falcon" in one["query"])
    assert bridge["tool"] == "rag" and bridge["by"] == "rules" and bridge["ms"] > 0 and bridge["passages"]
    kept = place.home.bench.ledger.answers.steps(answer["id"])
    assert [one["ms"] for one in kept] == [one["ms"] for one in answer["steps"]]
    trace = place.service.traces.trace(answer["id"], ["user:ana"])
    assert (trace["steps"], trace["stopped"]) == (answer["steps"], answer["stopped"])
    assert "steps" in [one["stage"] for one in trace["timings"]]


def test_the_form_of_the_page_chooses_how_far_to_look(place: Place, by_default: Place) -> None:
    """As chosen; where nothing is, as is set: no steps in one place, and three in the other."""
    chosen_in = (place, "4", True), (place, "", False), (by_default, "", True), (by_default, "0", False)
    for home, chosen, some in chosen_in:
        home.home.now += timedelta(seconds=1)
        ana = home.person("ana")
        sent = ana.form("/ask", {"mark": ana.get("/").mark, "question": CHAIN, "steps": chosen})
        answer = home.service.questions.look(sent.headers["location"].rpartition("/")[2], "user:ana")
        assert answer is not None and bool(answer.get("steps")) == some, chosen
        page = ana.get(sent.headers["location"]).text       # whoever asks it for more people, too, gets as many
        again = f'name="steps" value="{len(answer["steps"])}"' if some else 'type="hidden" name="steps"'
        assert (again in page) == some and complaints(page) == []


def test_where_titles_completed_the_question_a_partial_trace_shows_no_words_of_any_query() -> None:
    step = {"tool": "rag", "by": "rules", "error": "", "ms": 1.0, "query": "the Zorblax rota", "thought": "a part",
            "passages": ["a"]}
    rows = [{"found": [], "args": {"words_of": []}}]
    body = {"stopped": "budget", "steps": [step]}
    assert steps_told(body, rows, {"a"})["steps"] == [step]
    [shown] = steps_told(body | {"searched_as": "Who? Zorblax rota"}, rows, {"a"})["steps"]
    assert shown["withheld"] and (shown["query"], shown["thought"], shown["passages"]) == ("", "", ["a"])


def test_without_the_field_or_a_setting_no_step_is_taken(place: Place) -> None:
    for more in ({}, {"steps": 0}):
        answer = ask(place, CHAIN, **more)
        assert "steps" not in answer and "stopped" not in answer


def test_by_the_setting_steps_go_on_by_themselves_where_one_search_does_not_settle_it(by_default: Place) -> None:
    assert len(ask(by_default, CHAIN)["steps"]) >= 2
    assert "stopped" not in ask(by_default, PLAIN)
    assert "stopped" not in ask(by_default, CHAIN, steps=0)
    assert ask(by_default, PLAIN, steps=2)["stopped"] == "covered"


def test_other_steps_are_another_question(place: Place) -> None:
    ids = [ask(place, CHAIN, key="k", **more)["id"] for more in ({}, {"steps": 0}, {"steps": 3}, {"steps": 3})]
    assert len(set(ids)) == 3 and ids[2] == ids[3]


def test_whoever_may_not_read_a_passage_of_a_step_is_not_shown_the_answer(place: Place) -> None:
    answer = ask(place, CHAIN, steps=4)
    place.home.put_rules("docs", [("**", ["public"]), ("falcon.md", ["group:people"])])
    try:
        assert place.person("ana").get(f"/v1/answers/{answer['id']}").status == 403
    finally:
        place.home.put_rules("docs", RULES)


@pytest.mark.parametrize(("sent", "taken"), [(2, 2), (2.0, 2), (None, None)])
def test_a_whole_number_may_be_written_with_a_point(sent: float | None, taken: int | None) -> None:
    """JSON Schema takes 2.0 for an integer."""
    assert Question.model_validate({"question": "who?", "steps": sent}).steps == taken


@pytest.mark.parametrize("sent", [2.5, "2", True, 99.0, -1.0])
def test_what_is_no_whole_number_in_bounds_is_refused(sent: object) -> None:
    with pytest.raises(ValidationError):
        Question.model_validate({"question": "who?", "steps": sent})
    with pytest.raises(ValidationError):
        Search.model_validate({"query": "who?", "top": 999.0 if sent == 99.0 else sent})


def test_a_trace_tells_what_may_still_be_read_where_only_what_a_step_found_may_not() -> None:
    """A page that a step found, and that adds no word of the question, is not cited."""
    papers = {**PAPERS, "falcon.md": "# Falcon\n\nFalcon is on call from Monday to Friday. Mara Lind heads it.\n"}
    with folder_in_memory() as folder, http_place(folder, papers, rules=RULES) as own:
        answer, traces, ana = ask(own, CHAIN, steps=4), own.service.traces, ["user:ana"]
        whole = traces.trace(answer["id"], ana)
        own.home.put_rules("docs", [*RULES, ("falcon.md", ["group:people"])])
        less = traces.trace(answer["id"], ana)
        page = own.person("ana").get(f"/answers/{answer['id']}/trace")
        own.home.put_rules("docs", [*RULES, ("gateway.md", ["group:people"])])
        with pytest.raises(Denied):     # it is cited
            traces.trace(answer["id"], ana)
    falcon = {one["chunk_id"] for one in whole["candidates"] if one["path"] == "falcon.md"}
    assert "partial" not in whole and {one["path"] for one in answer["citations"]} == {"gateway.md"}
    assert less["partial"] and less["question"] == CHAIN and not (less["whole"] or less["answer"] or less["warnings"])
    assert less["confidence"] is None and "tokens" not in less and "scores" not in less["verdict"]
    assert not any("strips" in one or "fused_rank" in one for one in less["candidates"])
    assert falcon and not falcon & {one["chunk_id"] for one in less["candidates"]}
    (first, second) = less["steps"]
    assert first == {**whole["steps"][0], "passages": [one for one in first["passages"] if one not in falcon]}
    assert second["withheld"] and not second["query"] and not second["thought"]      # words of falcon.md are among it
    assert page.status == 200 and "Mara" not in page.text and "leads Falcon" not in page.text
    assert "cannot be shown any more" in page.text and complaints(page.text) == []


RULE = {"tool": "rag", "query": "leads Falcon", "by": "rules", "thought": "a bridge", "error": "", "ms": 1.0,
        "passages": ["a", "b"]}
FOUND = {"found": [["a", 0.5], ["b", 0.4]], "args": {"words_of": ["a"]}}


@pytest.mark.parametrize(("step", "args", "told"), [
    ({}, {}, True),
    ({}, {"words_of": ["b"]}, False),
    ({"by": "some-model"}, {}, False),
    ({"tool": "open", "opened": "a"}, {}, True),
    ({"tool": "open", "opened": "b"}, {}, False),
    ({"tool": "open", "opened": "docs:falcon.md"}, {}, False),
    ({"tool": "web", "by": "some-model"}, {}, True),
])  # fmt: skip
def test_words_of_a_step_are_told_only_where_all_that_they_may_be_from_is_read(
    step: dict[str, Any], args: dict[str, Any], told: bool
) -> None:
    body = {"stopped": "stop", "steps": [RULE | step], "orders": [
        {"step": 2, "by": step.get("by", "rules"), "thought": "Falcon", "error": "", "ends": "stop"}]}
    assert chunks_named([FOUND]) == {"a", "b"} and "open_parts" not in steps_told(body, [FOUND], {"a"})
    assert steps_told(body | {"open_parts": ["who is on Falcon"]}, [FOUND], {"a"})["open_parts"] == [""]
    found = steps_told(body, [FOUND | {"args": FOUND["args"] | args}], {"a"})
    assert bool(found["steps"][0]["query"]) is told and ("withheld" in found["steps"][0]) is not told
    assert bool(found["orders"][0]["thought"]) is ("by" not in step)
