"""Follow-ups over HTTP and on the page: understood from the thread by those who may see it, and by nobody else."""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import Place, http_place
from http_scene.told_progress import answering

TOKENS, LATER = "How often are the vault tokens rotated?", "And who does that?"


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as made:
        yield made


def ask(place: Place, person: str, text: str, **more: Any) -> Any:
    """A second later than the one before."""
    place.home.now += timedelta(seconds=1)
    return place.person(person).post("/v1/ask", {"question": text} | more)


def test_a_follow_up_is_understood_from_the_answer_it_names(place: Place) -> None:
    first = ask(place, "ana", TOKENS).json
    assert first["understood_as"] == ""
    later = ask(place, "ana", LATER, follows=first["id"]).json
    assert (later["question"], later["understood_as"]) == (LATER, f"{TOKENS} {LATER}")
    traced = place.person("ana").get(f"/answers/{later['id']}/trace").text
    assert f"Searched for: <bdi>{TOKENS} {LATER}" in traced and "Completed by: <bdi>rules<" in traced
    third = ask(place, "ana", "When?", follows=later["question_id"]).json
    assert third["understood_as"] == f"{TOKENS} {LATER} When?"
    assert ask(place, "ana", LATER).json["understood_as"] == ""


def test_nobody_follows_up_on_what_they_may_not_read(place: Place) -> None:
    mine = place.person("ana").post("/v1/ask", {"question": TOKENS}).json
    for named in (mine["id"], "0" * 32):
        told = place.person("ben").post("/v1/ask", {"question": LATER, "follows": named})
        assert told.status == 404 and TOKENS not in told.text


def test_a_reader_who_is_added_later_learns_nothing_of_earlier_questions(place: Place) -> None:
    first = ask(place, "ana", TOKENS).json
    both = ask(place, "ana", LATER, follows=first["id"], audience=["user:ben"]).json
    assert both["understood_as"] == "" and "vault" not in str(both)
    then = ask(place, "ana", "When?", follows=both["id"]).json
    assert then["understood_as"] == f"{LATER} When?"


def test_the_same_key_with_another_thread_is_another_question(place: Place) -> None:
    ana, first = place.person("ana"), ask(place, "ana", TOKENS).json
    alone = ana.post("/v1/ask", {"question": LATER}, Idempotency_Key="f").json
    behind = ana.post("/v1/ask", {"question": LATER, "follows": first["id"]}, Idempotency_Key="f").json
    assert alone["id"] != behind["id"]


def test_what_is_still_being_made_cannot_be_followed_yet_and_the_key_stays_that_of_one_question() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        ana = place.person("ana")
        first = ana.post("/v1/ask", {"question": TOKENS, "wait": 0}).json["question_id"]
        body = {"question": LATER, "follows": first}
        early = ana.post("/v1/ask", body, Idempotency_Key="f")
        assert early.status == 409 and "ask once it is there" in early.json["cure"]
        assert place.person("ben").post("/v1/ask", body).status == 404
        with answering(place, folder):
            while ana.get(f"/v1/answers/{first}").status == 202:
                time.sleep(0.05)
            place.home.now += timedelta(seconds=1)
            told = [ana.post("/v1/ask", body, Idempotency_Key="f").json for _ in range(2)]
        assert told[0] == told[1] and told[0]["understood_as"] == f"{TOKENS} {LATER}"


def test_strangers_who_follow_one_answer_learn_nothing_of_each_other(place: Place) -> None:
    def stranger(text: str, **more: Any) -> Any:
        place.home.now += timedelta(seconds=1)
        return place.visitor().post("/v1/ask", {"question": text} | more).json

    shared = stranger("When does the office open?")
    private = stranger("And whom does one tell of Mr Smith?", follows=shared["id"])
    mine = stranger("And on Sundays?", follows=shared["id"])
    assert mine["understood_as"] == "When does the office open? And on Sundays?"
    page = place.visitor().get(f"/answers/{mine['id']}").text
    assert "When does the office open?" in page and "Smith" not in page and private["id"] not in page
    then = stranger("And on Mondays?", follows=mine["id"])
    assert then["understood_as"] == "When does the office open? And on Sundays? And on Mondays?"
