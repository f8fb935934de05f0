"""How often somebody may come: people by name, strangers by the address that can be believed."""

import http.client
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import HEADER, SECRET, Place, http_place

from bots.http.app import Service
from bots.http.identity.caller import Credentials
from bots.http.identity.identities import Identities
from bots.http.identity.local import LocalSessions
from bots.http.identity.proxy import TrustedPeers, TrustedProxy, caller_address
from bots.http.load import Pace
from vouch.errors import Guarded, Unidentified

PROXIES = TrustedPeers(["10.1.0.0/16"], SECRET)


def from_(peer: str, forwarded: str = "", secret: str = SECRET, **more: Any) -> Credentials:
    return Credentials(peer, {"x-forwarded-for": forwarded, "x-vouch-proxy-secret": secret}, {}, **more)


def test_a_store_fills_up_again_with_time_and_what_is_refused_does_not_count() -> None:
    clock = [0.0]
    pace = Pace(60, "question", lambda: clock[0])
    for _ in range(60):
        pace.take("ana")
    pace.take("ben")
    for _ in range(5):
        with pytest.raises(Guarded, match="more than 60 questions") as error:
            pace.take("ana")
    assert error.value.cure == "come again in 1 second"
    clock[0] = 1.0
    pace.take("ana")
    with pytest.raises(Guarded):
        pace.take("ana")
    for _ in range(1000):
        Pace(0).take("ana")


def test_it_remembers_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.http.load._KNOWN", 10)
    pace = Pace(1)
    for number in range(100):
        pace.take(f"address 10.0.0.{number}")
    assert len(pace._left) == 10


@pytest.mark.parametrize(("credentials", "address"), [
    (from_("203.0.113.9", "198.51.100.7"), "203.0.113.9"),                      # nobody's proxy: not believed
    (from_("10.1.2.3", "198.51.100.7"), "198.51.100.7"),
    (from_("10.1.2.3", "198.51.100.7", secret="guessed-by-somebody"), "10.1.2.3"),
    (from_("10.1.2.3", "1.2.3.4, 198.51.100.7"), "198.51.100.7"),               # what it claimed before the proxy
    (from_("10.1.2.3", "1.2.3.4, nonsense"), "10.1.2.3"),
    (from_("10.1.2.3", "1.2.3.4", repeated=frozenset({"x-forwarded-for"})), "10.1.2.3"),
    (from_("10.1.2.3", "1.2.3.4", repeated=frozenset({"x-vouch-proxy-secret"})), "10.1.2.3"),
    (from_("::ffff:10.1.2.3", "2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64"),
    (from_("2001:db8:1:2:ffff::1"), "2001:db8:1:2::/64"),
    (from_("nonsense"), "unknown"),
])
def test_only_a_proxy_that_is_known_is_believed_about_addresses(credentials: Credentials, address: str) -> None:
    assert caller_address(credentials, PROXIES) == address


def test_without_proxies_nobody_is_believed() -> None:
    assert caller_address(from_("10.1.2.3", "198.51.100.7"), None) == "10.1.2.3"


def test_people_are_counted_by_name_and_strangers_and_failures_by_address() -> None:
    proxy = TrustedProxy("X-Person", ["10.1.0.0/16"], SECRET)
    known = Identities([proxy], anonymous=True, per_minute=3, proxies=PROXIES)

    def came(name: str, address: str, secret: str = SECRET) -> Any:
        named = {"x-person": name} if name else {}
        return known.caller(Credentials("10.1.2.3", {
            **named, "x-vouch-proxy-secret": secret, "x-forwarded-for": address}, {}))

    for address in ("198.51.100.7", "198.51.100.8", "198.51.100.9"):
        assert came("ana", address).address == ""
    with pytest.raises(Guarded):
        came("ana", "198.51.100.10")
    assert came("ben", "198.51.100.7").tag == "user:ben"
    assert {came("", "198.51.100.7").address for _ in range(3)} == {"198.51.100.7"}
    with pytest.raises(Guarded):
        came("", "198.51.100.7")
    assert came("", "198.51.100.8").tag == "public"
    for _ in range(3):
        with pytest.raises(Unidentified):
            known.caller(Credentials("203.0.113.9", {"x-person": "ana"}, {}))
    with pytest.raises(Guarded):                    # guessing has an end
        known.caller(Credentials("203.0.113.9", {"x-person": "ana"}, {}))


@contextmanager
def paced(per_minute: int, questions: int = 0) -> Iterator[Place]:
    peers = ["127.0.0.1"]

    def changed(service: Service) -> Service:
        known = Identities([TrustedProxy(HEADER, peers, SECRET)], anonymous=True, per_minute=per_minute,
                           proxies=TrustedPeers(peers, SECRET))
        asked: Any = service.questions
        return replace(service, identities=known, questions=replace(asked, strangers=Pace(questions, "question")),
                       local=LocalSessions("user:ana"), assistants=True)

    with folder_in_memory() as folder, http_place(folder, works=False, changed=changed) as place:
        yield place


@pytest.mark.parametrize(("method", "path"), [
    ("GET", "/v1/me"), ("GET", "/"), ("POST", "/v1/search"), ("POST", "/mcp"), ("GET", "/enter?token=x"),
    ("GET", "/sign-in"), ("GET", "/operate/status"),
])
def test_every_way_in_is_counted(method: str, path: str) -> None:
    with paced(3) as place:
        client = place.visitor()
        told = [client.send(method, path, b"{}" if method == "POST" else None).status for _ in range(5)]
        assert 429 not in told[:3] and told[3:] == [429, 429]
        assert client.send(method, path, b"{}" if method == "POST" else None).headers["retry-after"] == "60"
        assert place.person("ana").get("/v1/me").status == 200 and client.get("/readyz").status == 200


def test_a_stranger_who_asks_much_takes_no_turn_of_others_and_gets_no_answer_of_theirs() -> None:
    with paced(0, questions=2) as place:

        def asked(address: str, key: str = "k") -> Any:
            sent = {"X_Forwarded_For": address, "X_Vouch_Proxy_Secret": SECRET, "Idempotency_Key": key}
            return place.visitor().post("/v1/ask", {"question": "How many days of leave?", "wait": 0}, **sent)

        first, again, other = asked("198.51.100.7"), asked("198.51.100.7"), asked("198.51.100.8")
        assert first.json["question_id"] == again.json["question_id"] != other.json["question_id"]
        assert asked("198.51.100.7", "other").status == 429
        assert asked("198.51.100.8", "other").status == 202


def test_strangers_who_wait_on_the_page_take_no_stream_of_others() -> None:
    with paced(0) as place, ExitStack() as streams:
        asked = place.visitor().post("/v1/ask", {"question": "How many days of leave?", "wait": 0})
        events = f"/answers/{asked.json['question_id']}/events"

        def opened(address: str) -> int:
            client = http.client.HTTPConnection(place.address.removeprefix("http://"), timeout=10)
            streams.callback(client.close)
            client.request("GET", events, headers={"X-Forwarded-For": address, "X-Vouch-Proxy-Secret": SECRET})
            return client.getresponse().status

        assert [opened("198.51.100.7") for _ in range(9)] == [200] * 8 + [429]
        assert opened("198.51.100.8") == 200


def test_however_often_others_of_the_machine_guess_the_right_link_opens() -> None:
    with paced(3) as place:
        guesses = [place.visitor().get("/enter?token=x").status for _ in range(5)]
        assert guesses == [401] * 3 + [429] * 2
        local, browser = place.service.local, place.visitor()
        assert local is not None and browser.get(f"/enter?token={local.token}").status == 303
        assert browser.get("/enter?token=x").status == 303                      # it is in already
        assert place.visitor().get("/enter?token=x", Cookie=f"{local.cookie}=old").status == 429
