"""Groups that a token names: believed only of a good token, as far as a setting maps them, and for a time.

Ana is an engineer by the directory. Salaries are for `group:people`, which only her tokens say that she is in.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from http_scene.http_client import Client
from http_scene.http_place import PEOPLE, Place, http_place
from http_scene.oidc_place import sign_in_with
from http_scene.oidc_provider import OidcProvider, signed
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from bots.http.app import Service
from bots.http.identity.bearer import BearerTokens
from bots.http.identity.identities import Identities
from bots.http.identity.jwks import Jwks
from bots.http.identity.tokens import Expected, GroupClaims
from cli.wiring.http.identities import open_groups, open_proven
from services.answering.identity import EndedInLedger, ProvenInLedger
from vouch.access import Directory, Person
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.errors import Denied, Usage
from vouch.settings.surfaces import HttpSettings

ISSUER, AUDIENCE = "https://login.acme.test", "vouch"
KEY, OTHER = (RSAKey.generate_key(2048, {"kid": "one", "use": "sig"}) for _ in range(2))
MAP = {"hr-people": "group:people"}
QUESTION = "When are the salary bands reviewed by the people team?"


def claimed(ledger: Ledger, hours: float = 8.0, claim: str = "groups") -> GroupClaims:
    return GroupClaims(claim, MAP, ProvenInLedger(ledger.access, ledger.proven_groups, hours))


class Door:
    """Lets in by tokens, as long as it is open: a service with a ledger whose clock the test moves."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def token(self, key: Any = KEY, person: str = "ana", since: float = 0.0, **claims: Any) -> str:
        now = int(self.place.home.now.timestamp() + since)
        body = {"iss": ISSUER, "aud": AUDIENCE, "iat": now, "exp": now + 7200, "sub": person, **claims}
        return jwt.encode({"alg": "RS256", "kid": "one"}, body, key, algorithms=["RS256"])

    def with_token(self, token: str) -> Client:
        return Client(self.place.address, {"Authorization": f"Bearer {token}"})

    def client(self, **token: Any) -> Client:
        return self.with_token(self.token(**token))

    def asked(self, client: Client) -> Any:
        return client.post("/v1/ask", {"question": QUESTION}).json

    def sees_salaries(self, client: Client) -> bool:
        return "people/salaries.md" in {one["path"] for one in self.asked(client)["citations"]}


@contextmanager
def door(folder: Path, people: Directory = PEOPLE) -> Iterator[Door]:
    made: list[Place] = []

    def planted(service: Service) -> Service:
        questions: Any = service.questions
        tokens = BearerTokens(
            Jwks(lambda: json.dumps(KeySet([KEY]).as_dict(private=False)).encode()),
            Expected(ISSUER, AUDIENCE, ("RS256",), "sub"), lambda: made[0].home.now.timestamp() if made else 0.0,
            groups=claimed(questions.ledger),
        )
        return replace(service, identities=Identities([tokens], anonymous=True))

    with http_place(folder, people=people, changed=planted) as place:
        made.append(place)
        yield Door(place)


def test_a_mapped_group_counts_beside_those_of_the_directory(tmp_path: Path) -> None:
    with door(tmp_path) as at:
        assert not at.sees_salaries(at.client())
        mapped = at.client(groups=["hr-people", "everything"], since=1)
        assert at.sees_salaries(mapped)
        reader = at.place.home.watched.permissions().directory.reader("user:ana", at.place.home.now)
        assert reader.principals == {"public", "user:ana", "group:eng", "group:people"}
        assert at.place.home.watched.permissions().directory.people == PEOPLE.people       # the loaded one is as it was


@pytest.mark.parametrize("groups", [
    ["people"], ["group:people"], ["HR-People"], [["hr-people"]], {"hr-people": True}, None, 7, "hr-people hr-people",
], ids=str)  # fmt: skip
def test_what_is_not_mapped_counts_for_nothing(tmp_path: Path, groups: Any) -> None:
    with door(tmp_path) as at:
        assert not at.sees_salaries(at.client(groups=groups))


def test_a_forged_token_notes_nothing(tmp_path: Path) -> None:
    with door(tmp_path) as at:
        forged = at.client(key=OTHER, groups=["hr-people"])
        assert forged.post("/v1/ask", {"question": QUESTION}).status == 401
        expired = at.client(groups=["hr-people"], since=-9000)
        assert expired.post("/v1/ask", {"question": QUESTION}).status == 401
        assert not at.place.home.watched.permissions().directory.proven
        assert not at.sees_salaries(at.client())


def test_who_has_left_or_is_not_listed_gets_nothing_by_a_claim(tmp_path: Path) -> None:
    with door(tmp_path, replace(PEOPLE, people={"ana": Person(("eng",), None), "ben": PEOPLE.people["ben"]})) as at:
        assert not at.sees_salaries(at.client(person="zoe", groups=["hr-people"]))
        ana = at.client(groups=["hr-people"])
        answer = at.asked(ana)
        assert ana.get(f"/v1/answers/{answer['id']}").status == 200
        gone = at.place.home.now - timedelta(days=1)
        at.place.home.people(replace(PEOPLE, people={"ana": Person(("eng",), gone)}))
        assert ana.get(f"/v1/answers/{answer['id']}").status == 403 and not at.sees_salaries(ana)
        at.place.home.people(replace(PEOPLE, people={}))
        assert ana.get(f"/v1/answers/{answer['id']}").status == 403
        at.place.home.people(PEOPLE)                    # back, and no group is remembered of before
        assert at.place.home.watched.permissions().directory.proven["ana"].groups == ()
        assert ana.get(f"/v1/answers/{answer['id']}").status == 403


def test_groups_count_for_a_time_and_then_answers_made_with_them_are_not_shown(tmp_path: Path) -> None:
    with door(tmp_path) as at:
        answer = at.asked(at.client(groups=["hr-people"]))
        assert answer["citations"][0]["path"] == "people/salaries.md"
        look, questions = f"/v1/answers/{answer['id']}", at.place.service.questions
        at.place.home.now += timedelta(hours=7, minutes=59)
        assert questions.look(answer["id"], "user:ana") is not None
        at.place.home.now += timedelta(hours=1, minutes=1)
        reader = at.place.home.watched.permissions().directory.reader("user:ana", at.place.home.now)
        assert reader.principals == {"public", "user:ana", "group:eng"}     # what is loaded goes on
        old = at.token(groups=["hr-people"], since=-9 * 3600, exp=int(at.place.home.now.timestamp()) + 60)
        assert at.with_token(old).get(look).status == 403                   # made long ago: it renews nothing
        assert at.client(groups=["hr-people"]).get(look).status == 200


def test_fewer_hours_count_at_once_for_what_was_noted_before_and_more_for_nothing_noted(tmp_path: Path) -> None:
    with door(tmp_path) as at:
        ledger, now = at.place.home.bench.ledger, at.place.home.now         # a full hour
        answer = at.asked(at.client(groups=["hr-people"]))
        look, epoch = f"/v1/answers/{answer['id']}", ledger.access.epoch()
        for hours in (8.0, 24.0):
            open_proven(HttpSettings(group_hours=hours), ledger)
        assert ledger.access.epoch() == epoch
        at.place.home.now += timedelta(hours=2)
        same = at.token(groups=["hr-people"], since=-7200, exp=int(at.place.home.now.timestamp()) + 60)
        ana = at.with_token(same)                                           # of the same moment: it renews nothing
        open_proven(HttpSettings(group_hours=3), ledger)
        assert at.place.service.questions.look(answer["id"], "user:ana") is not None
        open_proven(HttpSettings(group_hours=1), ledger)
        assert ledger.access.permissions().directory.proven["ana"].until == now + timedelta(hours=1)
        assert ana.get(look).status == 403 and not at.sees_salaries(ana)
        with pytest.raises(Denied):
            at.place.service.questions.look(answer["id"], "user:ana")


def test_a_newer_token_without_the_group_takes_it_away_and_an_older_one_does_not_bring_it_back(tmp_path: Path) -> None:
    with door(tmp_path) as at:
        before = at.token(groups=["hr-people"])
        look = f"/v1/answers/{at.asked(at.with_token(before))['id']}"
        assert at.with_token(before).get(look).status == 200
        assert at.client(since=2).get(look).status == 403
        assert at.with_token(before).get(look).status == 403
        elsewhere = claimed(at.place.home.bench.ledger)                     # another process, which knows of neither
        elsewhere.take("user:ana", {"iat": at.place.home.now.timestamp(), "groups": ["hr-people"]})
        assert at.with_token(before).get(look).status == 403


def test_what_was_said_before_somebody_left_counts_in_no_process_once_they_are_back(tmp_path: Path) -> None:
    ledger, now = open_ledger(tmp_path / "ledger.sqlite"), datetime.now(UTC).timestamp()
    ledger.access.set_directory(PEOPLE)
    before, without = {"iat": now - 50, "groups": ["hr-people"]}, {"iat": now - 40}
    for token in (before, without):
        claimed(ledger).take("user:ana", token)
    ledger.access.set_directory(replace(PEOPLE, people={}))
    ledger.access.set_directory(PEOPLE)
    for token in (before, without, {**without, "groups": ["hr-people"]}):
        claimed(ledger).take("user:ana", token)         # of a process that knows of neither
        assert ledger.access.permissions().directory.proven["ana"].groups == ()
    claimed(ledger).take("user:ana", {**before, "iat": now - 30})
    assert ledger.access.permissions().directory.proven["ana"].groups == ("people",)
    ledger.close()


def test_who_has_left_is_forgotten_once_that_counts_no_more(tmp_path: Path) -> None:
    ledger, now = open_ledger(tmp_path / "ledger.sqlite"), datetime.now(UTC).timestamp()
    ledger.access.set_directory(PEOPLE)
    claimed(ledger).take("user:ben", {"iat": now, "groups": ["hr-people"]})
    ledger.access.set_directory(replace(PEOPLE, people={"ana": PEOPLE.people["ana"]}))
    for hours, known in ((1, {"ana", "ben"}), (10, {"ana"})):
        claimed(ledger).take("user:ana", {"iat": now + hours * 3600, "groups": ["hr-people"]})
        assert set(ledger.access.permissions().directory.proven) == known
    ledger.close()


def test_of_two_tokens_of_the_same_second_only_the_groups_of_both_count(tmp_path: Path) -> None:
    ledger, now = open_ledger(tmp_path / "ledger.sqlite"), datetime.now(UTC).timestamp()
    ledger.access.set_directory(PEOPLE)
    known = claimed(ledger)
    for groups, held in ((["hr-people"], ("people",)), ([], ()), (["hr-people"], ())):
        known.take("user:ana", {"iat": now, "groups": groups})
        assert ledger.access.permissions().directory.proven["ana"].groups == held
    ledger.close()


def test_tokens_that_say_the_same_within_an_hour_change_no_permissions(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "ledger.sqlite")
    ledger.access.set_directory(PEOPLE)
    known, began = claimed(ledger), 1_800_000_000.0     # a full hour
    known.take("user:ana", {"iat": began + 1, "groups": ["hr-people"]})
    epoch = ledger.access.epoch()
    for later in (300, 600, 3_600):
        known.take("user:ana", {"iat": began + later, "groups": ["hr-people", "another"]})
    assert ledger.access.epoch() == epoch
    known.take("user:ana", {"iat": began + 3_601, "groups": ["hr-people"]})
    assert ledger.access.epoch() == epoch + 1
    assert ledger.access.set_directory(PEOPLE) is False                     # the same directory: what is proven stays
    assert ledger.access.permissions().directory.proven["ana"].groups == ("people",)
    ledger.close()


def test_signing_in_notes_the_groups_of_the_id_token(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "ledger.sqlite")
    ledger.access.set_directory(Directory({"ana": Person(())}))
    callback, ended = "http://127.0.0.1:1/sign-in/callback", EndedInLedger(ledger.ended, lambda: datetime.now(UTC))
    with OidcProvider(callback=callback) as provider:
        claims = ((["hr-people", "x"], {"group:people"}), (None, set()), ("hr-people", {"group:people"}))
        for later, (groups, held) in enumerate(claims):
            provider.person["groups"] = groups
            provider.lie = lambda told, later=later: signed({**told, "iat": told["iat"] + later})
            known = replace(sign_in_with(provider, callback, ended), groups=claimed(ledger))
            address, _, cookie = known.start("/")
            brought = parse_qs(urlsplit(provider.sign_in(address)).query)
            known.finish(cookie, brought["state"][0], brought["code"][0], "")
            reader = ledger.access.permissions().directory.reader("user:ana", datetime.now(UTC))
            assert reader.principals == {"public", "user:ana", *held}
    ledger.close()


def test_groups_that_only_userinfo_tells_count_for_nothing(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "ledger.sqlite")
    ledger.access.set_directory(Directory({"ana": Person(())}))
    callback, ended = "http://127.0.0.1:1/sign-in/callback", EndedInLedger(ledger.ended, lambda: datetime.now(UTC))
    with OidcProvider(callback=callback, apart=True) as provider:
        provider.userinfo = {**provider.person, "groups": ["hr-people"]}
        known = replace(sign_in_with(provider, callback, ended), groups=claimed(ledger))
        address, _, cookie = known.start("/")
        brought = parse_qs(urlsplit(provider.sign_in(address)).query)
        assert known.finish(cookie, brought["state"][0], brought["code"][0], "")
        reader = ledger.access.permissions().directory.reader("user:ana", datetime.now(UTC))
        assert reader.principals == {"public", "user:ana"}
    ledger.close()


@pytest.mark.parametrize(("claim", "groups"), [
    ("groups", {}), ("", MAP), ("groups", {"x": "user:ana"}), ("groups", {"x": "public"}), ("groups", {"x": "people"}),
])  # fmt: skip
def test_settings_that_would_believe_too_much_or_nothing_are_refused(claim: str, groups: dict[str, str]) -> None:
    nothing: Any = None
    with pytest.raises(Usage, match="GROUP_MAP"):
        open_groups(HttpSettings(group_claim=claim, group_map=groups), nothing)
    assert open_groups(HttpSettings(), nothing) is None
