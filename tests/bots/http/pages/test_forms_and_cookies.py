"""Forms, marks, cookies and headers: what other sites and other people cannot do to a page."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import Place, http_place

import bots.http.page
from bots.http.identity.caller import Caller, cookies_of
from bots.http.identity.local import LocalSessions
from bots.http.page.browser import Marks
from vouch.errors import Denied

LEAVE = "How many days of paid leave has everybody?"


def test_cookies_travel_by_https_alone_where_the_service_says_so(place: Place) -> None:
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, secure_cookies=True)
    ) as safe:
        for at, secure in ((safe, True), (place, False)):
            visitor = at.visitor()
            visitor.get("/")
            assert [("; Secure" in one) for one in visitor.set_cookies] == [secure]
            assert list(visitor.cookies) == ["__Host-vouch_browser" if secure else "vouch_browser"]
            assert all("; Path=/;" in f"{one};" and "Domain" not in one for one in visitor.set_cookies)


@pytest.mark.parametrize("secure", [True, False])
def test_a_session_has_a_name_that_no_other_host_can_plant_and_signing_out_forgets_all(secure: bool) -> None:
    local = LocalSessions("user:ana", secure=secure)
    with folder_in_memory() as folder, http_place(
        folder, local=local, works=False, changed=lambda service: replace(service, secure_cookies=secure)
    ) as place:
        me, planted = place.visitor(), place.visitor()
        assert me.get(f"/enter?token={local.token}").status == 303
        lead = "__Host-" if secure else ""
        session = me.cookies[f"{lead}vouch_session"]
        planted.cookies["vouch_session" if secure else "__Host-vouch_session"] = session
        assert planted.get("/v1/me").json["reader"] == "public"                 # the name of the other case
        mark = me.get("/").mark
        assert set(me.cookies) == {f"{lead}vouch_session", f"{lead}vouch_browser"}
        me.set_cookies.clear()
        assert me.form("/leave", {"mark": mark}).status == 200
        assert not any(me.cookies.values())
        gone = [one for one in me.set_cookies if one.startswith("__Host-")]
        assert len(gone) == 3 and all("; Secure" in one and "Path=/" in one and "Max-Age=0" in one for one in gone)


@pytest.mark.parametrize("sign", ["\xa0", "\x85", "\x0b", "\x0c", "\x1c"])
def test_a_name_with_an_odd_sign_before_it_is_another_name(sign: str) -> None:
    """Browsers do not see a `__Host-` name in it, so any host of the domain may set it."""
    found = cookies_of([("cookie", f"a=1; {sign}__Host-vouch_person=planted;\tb = 2 ;c"), ("x", "d=3")])
    assert found == {"a": "1", f"{sign}__Host-vouch_person": "planted", "b": "2"}


def test_no_planted_name_is_a_session_over_the_wire() -> None:
    local = LocalSessions("user:ana", secure=True)
    with folder_in_memory() as folder, http_place(
        folder, local=local, works=False, changed=lambda service: replace(service, secure_cookies=True)
    ) as place:
        me, planted = place.visitor(), place.visitor()
        assert me.get(f"/enter?token={local.token}").status == 303
        session = me.cookies["__Host-vouch_session"]
        assert planted.get("/v1/me", Cookie=f"\xa0__Host-vouch_session={session}").json["reader"] == "public"
        assert planted.get("/v1/me", Cookie=f"\t__Host-vouch_session={session}").json["reader"] == "user:ana"


def test_a_form_without_the_mark_of_this_browser_does_nothing(place: Place) -> None:
    ana, ben = place.person("ana"), place.person("ben")
    mark, foreign = ana.get("/").mark, ben.get("/").mark
    assert mark != foreign
    for given_mark in ("", foreign, mark[:-1] + "é"):
        refused = ana.form("/ask", {"mark": given_mark, "question": LEAVE})
        assert refused.status == 403 and "a program asks with POST /v1/ask instead" in refused.text
    ana.cookies.clear()
    assert ana.form("/ask", {"mark": mark, "question": LEAVE}).status == 403
    assert ana.form("/vote", {"mark": mark, "answer": "x", "vote": "up"}).status == 403
    assert ana.form("/leave", {"mark": mark}).status == 403


@pytest.mark.parametrize("headers", [
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site"},
])
def test_a_form_on_a_page_of_somebody_else_does_nothing(place: Place, headers: dict[str, str]) -> None:
    ana = place.person("ana")
    mark = ana.get("/").mark
    assert ana.form("/ask", {"mark": mark, "question": LEAVE}, **headers).status == 403
    assert ana.post("/v1/ask", {"question": LEAVE}, **headers).status == 403


def test_every_answer_carries_the_headers_that_shut_scripts_out(place: Place) -> None:
    for path in ("/", "/nothing", "/v1/me", "/static/style.css", "/answers/x"):
        headers = place.visitor().get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "script-src 'self';" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    assert place.visitor().get("/").headers["cache-control"] == "no-store"


def test_every_file_of_others_is_the_one_that_was_looked_at(place: Place) -> None:
    static = Path(bots.http.page.__file__).parent / "static"
    rows = re.findall(r"^\| (\S+) \| .* \| ([0-9a-f]{64}) \|$", (static / "VENDORED.md").read_text(), re.MULTILINE)
    assert {name: hashlib.sha256((static / name).read_bytes()).hexdigest() for name, _ in rows} == dict(rows)
    own = {"style.css", "vouch.js", "VENDORED.md"}
    assert {one.name for one in static.iterdir()} == own | {name for name, _ in rows}
    for path in re.findall(r'(?:src|href)="(/static/[^"]+)"', place.visitor().get("/").text):
        served = place.visitor().get(path)
        assert served.status == 200 and "immutable" in served.headers["cache-control"]


def test_cookies_are_closed_to_scripts_and_to_forms_of_other_sites() -> None:
    local = LocalSessions("user:ana", secure=False)
    with folder_in_memory() as folder, http_place(folder, local=local, works=False) as place:
        me = place.visitor()
        me.get(f"/enter?token={local.token}")
        me.get("/")
        session, browser = me.set_cookies
        assert all("HttpOnly" in one for one in me.set_cookies)
        assert "SameSite=strict" in session and "vouch_browser" in browser and "SameSite=lax" in browser


def test_each_page_lets_the_cookie_of_its_forms_live_on(place: Place) -> None:
    ana = place.person("ana")
    first, again = ana.get("/").mark, ana.get("/").mark
    assert first == again and len(ana.set_cookies) == 2 and len(set(ana.set_cookies)) == 1
    assert "Max-Age=43200" in ana.set_cookies[1]


def test_marks_are_of_one_browser_and_one_person() -> None:
    marks, ana = Marks(b"k"), Caller("user:ana", "local", "s1")
    mark = marks.mark("b1", ana)
    marks.check(mark, "b1", ana)
    again, ben = Caller("user:ana", "local", "s2"), Caller("user:ben", "local", "s1")
    for wrong in (("b2", ana), (None, ana), ("b1", again), ("b1", ben)):
        with pytest.raises(Denied):
            marks.check(mark, *wrong)


@pytest.mark.parametrize("planted", ["€", "a=b", "a,b", "ü", "x" * 31])
def test_a_planted_cookie_of_forms_is_replaced_by_one_of_this_service(place: Place, planted: str) -> None:
    client = place.visitor()
    page = client.send("GET", "/", Cookie=f"vouch_browser={planted}".encode().decode("latin-1"))
    assert page.status == 200 and len(client.cookies["vouch_browser"]) == 32
    client.headers["Origin"] = client.address
    told = client.form("/ask", {"question": "Where is the office?", "mark": page.mark})
    assert told.status in (200, 303)
