"""What a question takes of the threads: none to find out who asks, unless a proof has to be looked up elsewhere."""

import sys
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread
from http_scene.http_place import http_place

from bots.http.identity.bearer import BearerTokens
from bots.http.identity.caller import Credentials
from bots.http.identity.identities import Identities
from bots.http.identity.jwks import Jwks
from bots.http.identity.oidc.sessions import Seal, SignedSessions
from bots.http.identity.tokens import Expected

QUESTION = {"question": "How many days of paid leave has everybody?", "wait": 30}


@pytest.mark.parametrize("name", ["ana", ""])
def test_a_question_takes_a_thread_to_ask_and_one_to_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    taken: list[str] = []
    run = to_thread.run_sync

    async def counted(call: Any, *words: Any, **named: Any) -> Any:
        taken.append(getattr(call, "func", call).__name__)
        return await run(call, *words, **named)

    with http_place(tmp_path) as place:
        asker = place.person(name) if name else place.visitor()
        assert asker.post("/v1/ask", QUESTION).status == 200
        monkeypatch.setattr(to_thread, "run_sync", counted)
        assert asker.post("/v1/ask", QUESTION).status == 200
    assert [one for one in taken if one != "sent_among"] == ["ask", "look"]     # that one is for all who wait


def test_a_proof_that_is_looked_up_elsewhere_takes_a_thread() -> None:
    nothing: Any = None
    sessions = SignedSessions(Seal(b"key"), 1, nothing)
    tokens = BearerTokens(Jwks(nothing), Expected("https://issuer.test", "vouch", ("RS256",), "email"))
    known = Identities([sessions, tokens], anonymous=True)

    def waits(headers: dict[str, str], cookies: dict[str, str]) -> bool:
        return known.waits(Credentials("192.0.2.1", headers, cookies))

    assert waits({"authorization": "Bearer a"}, {}) and waits({}, {sessions.cookie: "a"})
    assert not waits({"x-person": "ana"}, {"another": "a"})


def test_requests_wait_for_threads_that_compute_a_fifth_as_long_while_they_are_served(tmp_path: Path) -> None:
    before = sys.getswitchinterval()
    with http_place(tmp_path):
        assert sys.getswitchinterval() == pytest.approx(before / 5)
    assert sys.getswitchinterval() == before
