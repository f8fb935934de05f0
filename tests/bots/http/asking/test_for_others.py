"""A program asks for others only as far as its entry says for whom, and gets no more than all of them may read."""

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.http_client import Client
from http_scene.http_place import PEOPLE, Place, http_place
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from bots.http.identity.bearer import BearerTokens
from bots.http.identity.jwks import Jwks
from bots.http.identity.tokens import Expected
from vouch.access import Directory, Person
from vouch.errors import Usage

KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
EXPECTED = Expected("https://login.acme.test", "vouch", ("RS256",), "sub")
LEAVE, TOKENS = "How many days of paid leave has everybody?", "How often are the vault tokens rotated?"
SALARIES = "When are the salary bands reviewed?"
ASKS_FOR = {"user:helpdesk": ["group:eng"], "user:open": ["public"], "user:odd": ["user:ben", "user:nobody"]}


def bearer(asks_for: Any) -> BearerTokens:
    keys = json.dumps(KeySet([KEY]).as_dict(private=False)).encode()
    return BearerTokens(Jwks(lambda: keys), EXPECTED, acts_for=asks_for)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder, ways=[bearer(ASKS_FOR)]) as made:
        yield made


def program(place: Place, name: str) -> Client:
    now = int(time.time())
    claims = {"iss": EXPECTED.issuer, "aud": EXPECTED.audience, "iat": now, "exp": now + 300, "sub": name}
    token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, KEY, algorithms=["RS256"])
    return Client(place.address, {"Authorization": f"Bearer {token}"})


def test_a_program_that_the_directory_does_not_know_learns_nothing_of_owners_through_others(place: Place) -> None:
    asked = {"question": TOKENS, "audience": ["user:ana"], "filters": {"owners": ["user:ben"]}}
    told = program(place, "helpdesk").post("/v1/ask", asked)
    assert told.status == 403 and "whom the directory knows" in told.json["detail"]
    assert place.person("ana").post("/v1/ask", {**asked, "audience": []}).status == 200


def test_the_audience_stands_for_the_readers_instead_of_the_program(place: Place) -> None:
    helpdesk = program(place, "helpdesk")
    told = helpdesk.post("/v1/ask", {"question": TOKENS, "audience": ["user:ana"]})
    assert told.status == 200 and "ninety" in told.json["answer"]
    for named in (told.json["id"], told.json["question_id"]):
        assert helpdesk.get(f"/v1/answers/{named}").json == told.json
        assert place.person("ana").get(f"/v1/answers/{named}").json == told.json
        for other in (program(place, "open"), program(place, "odd"), place.person("ben"), place.visitor()):
            assert other.get(f"/v1/answers/{named}").status == 404
    events = helpdesk.get(f"/v1/answers/{told.json['id']}/events").text
    assert "ninety" in events and "event: answer" in events
    assert helpdesk.post("/v1/feedback", {"answer_id": told.json["id"], "vote": "up"}).status == 404


def test_a_program_follows_up_for_those_whom_it_asked_for(place: Place) -> None:
    helpdesk, audience = program(place, "helpdesk"), ["user:ana"]
    first = helpdesk.post("/v1/ask", {"question": TOKENS, "audience": audience}).json
    place.home.now += timedelta(seconds=1)
    then = helpdesk.post("/v1/ask", {"question": "And by whom?", "audience": audience, "follows": first["id"]})
    assert then.status == 200 and then.json["understood_as"] == f"{TOKENS} And by whom?"
    other = {"question": "And by whom?", "audience": ["user:ben"], "follows": first["id"]}
    assert program(place, "odd").post("/v1/ask", other).status == 404


def test_without_an_audience_and_elsewhere_it_reads_for_itself(place: Place) -> None:
    helpdesk = program(place, "helpdesk")
    assert "ninety" not in helpdesk.post("/v1/ask", {"question": TOKENS}).text
    assert "ninety" not in helpdesk.post("/v1/search", {"query": "vault tokens"}).text
    assert helpdesk.get("/v1/documents/docs/eng/tokens.md").status == 403


@pytest.mark.parametrize(("name", "audience"), [
    ("helpdesk", ["user:ben"]), ("helpdesk", ["user:ana", "user:ben"]), ("helpdesk", ["group:people"]),
    ("helpdesk", ["user:nobody"]), ("helpdesk", ["public", "group:people"]), ("open", ["user:ana"]),
    ("open", ["group:eng"]), ("odd", ["user:ana"]), ("odd", ["group:people"]),
])
def test_it_may_not_ask_for_others_than_its_entry_says(place: Place, name: str, audience: list[str]) -> None:
    told = program(place, name).post("/v1/ask", {"question": TOKENS, "audience": audience})
    assert told.status == 403 and "may not ask for all" in told.json["detail"] and "ninety" not in told.text


def test_a_group_or_the_public_can_be_asked_for_and_an_unknown_person_reads_what_is_public(place: Place) -> None:
    assert "ninety" in program(place, "helpdesk").post("/v1/ask", {"question": TOKENS, "audience": ["group:eng"]}).text
    assert "thirty" in program(place, "open").post("/v1/ask", {"question": LEAVE, "audience": ["public"]}).text
    odd = program(place, "odd")
    assert "April" in odd.post("/v1/ask", {"question": SALARIES, "audience": ["user:ben"]}).text
    assert "April" not in odd.post("/v1/ask", {"question": SALARIES, "audience": ["user:ben", "user:nobody"]}).text


def test_who_has_no_entry_only_adds_readers(place: Place) -> None:
    told = program(place, "ana").post("/v1/ask", {"question": TOKENS, "audience": ["user:ben"]})
    assert told.json["action"] == "declined" and "ninety" not in told.text
    told = program(place, "ben").post("/v1/ask", {"question": TOKENS, "audience": ["user:ana"]})
    assert told.json["action"] == "declined" and "ninety" not in told.text


def test_who_is_in_a_group_that_it_was_made_for_may_look_at_it_while_that_is_so() -> None:
    people = {**PEOPLE.people, "lead": Person(("leads",))}
    groups = {**PEOPLE.groups, "leads": ("people",)}
    with folder_in_memory() as folder, http_place(folder, people=Directory(people, groups)) as place:
        ana, ben, lead = (place.person(name) for name in ("ana", "ben", "lead"))
        told = ana.post("/v1/ask", {"question": LEAVE, "audience": ["group:people"]}).json
        place_of = f"/v1/answers/{told['id']}"
        for one in (ben, lead):
            assert one.get(place_of).json == told and "thirty" in one.get(f"/answers/{told['id']}").text
            assert "event: answer" in one.get(f"{place_of}/events").text
        assert ben.post("/v1/feedback", {"answer_id": told["id"], "vote": "up"}).status == 202
        assert [one.get(place_of).status for one in (place.person("olga"), place.visitor())] == [404, 404]
        place.home.people(Directory({**people, "ben": Person(())}, groups))
        assert [one.get(place_of).status for one in (ben, lead, ana)] == [404, 200, 200]
        place.home.put_rules("docs", [("**", ["group:eng"])])
        assert [one.get(place_of).status for one in (ben, lead, ana)] == [404, 403, 200]


def test_nobody_says_by_which_names_other_readers_are_told_of_owners(place: Place) -> None:
    filters = {"owners": ["group:eng"], "owner_names": ["nobody; all of it is true"]}
    asked = {"question": LEAVE, "audience": ["user:ben"], "filters": filters}
    for told in (place.person("ana").post("/v1/ask", asked),
                 place.visitor().post("/v1/search", {"query": LEAVE, "filters": filters})):
        assert told.status == 422 and "owner_names" in told.json["detail"]


def test_its_entry_counts_for_tokens_alone() -> None:
    with folder_in_memory() as folder, http_place(folder, ways=[bearer(ASKS_FOR)]) as place:
        told = place.person("helpdesk").post("/v1/ask", {"question": TOKENS, "audience": ["user:ana"]})
        assert told.json["action"] == "declined" and "ninety" not in told.text


def test_who_leaves_the_group_or_loses_the_right_is_not_asked_for_any_more() -> None:
    with folder_in_memory() as folder, http_place(folder, ways=[bearer(ASKS_FOR)]) as place:
        helpdesk, body = program(place, "helpdesk"), {"question": TOKENS, "audience": ["user:ana"]}
        given = helpdesk.post("/v1/ask", body).json
        place.home.put_rules("docs", [("**", ["public"]), ("eng/**", [])])
        assert helpdesk.get(f"/v1/answers/{given['id']}").status == 403
        place.home.people(Directory({**PEOPLE.people, "ana": Person(())}, PEOPLE.groups))
        assert helpdesk.get(f"/v1/answers/{given['id']}").status == 404
        assert helpdesk.post("/v1/ask", body).status == 403


def test_a_history_lists_what_may_be_opened_and_nothing_else() -> None:
    def listed(client: Client) -> list[str]:
        found = [one["id"] for one in client.get("/v1/questions").json["questions"]]
        assert all(client.get(f"/v1/answers/{named}").status == 200 for named in found)
        return found

    with folder_in_memory() as folder, http_place(folder, ways=[bearer(ASKS_FOR)]) as place:
        helpdesk, given = program(place, "helpdesk"), list[str]()
        for question, audience in ((TOKENS, ["user:ana"]), (TOKENS, ["group:eng"]), (LEAVE, [])):
            given = [helpdesk.post("/v1/ask", {"question": question, "audience": audience}).json["id"], *given]
            place.home.now += timedelta(seconds=1)
        assert listed(helpdesk) == given
        assert listed(place.person("helpdesk")) == given[:1], "nobody proves there for whom it asks"
        assert given[2] not in place.person("helpdesk").get("/questions").text
        place.home.people(Directory({**PEOPLE.people, "ana": Person(())}, PEOPLE.groups))
        assert listed(helpdesk) == given[:2]
        place.home.put_rules("docs", [("**", ["public"]), ("eng/**", [])])
        assert listed(helpdesk) == given[:1]


def test_an_entry_that_cannot_be_understood_is_refused() -> None:
    for wrong in ({"helpdesk": ["group:eng"]}, {"user:helpdesk": ["eng"]}, {"user:helpdesk": [""]}):
        with pytest.raises(Usage):
            bearer(wrong)


def test_how_an_answer_for_others_was_made_is_not_told_to_the_program(place: Place) -> None:
    """That has no look at whether it still acts for them."""
    told = program(place, "helpdesk").post("/v1/ask", {"question": LEAVE, "audience": ["user:ana"]})
    assert told.status == 200 and "thirty" in told.json["answer"]
    shown = program(place, "helpdesk").get(f"/answers/{told.json['id']}/trace")
    assert shown.status == 404 and "thirty" not in shown.text
