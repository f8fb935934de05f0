"""Pages of what cannot be shown: for the moment, or not any more."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_place import http_place

from vouch.errors import Guarded, NotFound, Unavailable, VouchError

TOKENS = "How often are the vault tokens rotated?"


class Away:
    """Implements Questions where no answer can be looked at."""

    def __init__(self, questions: Any, error: VouchError) -> None:
        self._questions, self._error = questions, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._questions, name)

    def look(self, *_: Any, **__: Any) -> Mapping[str, Any]:
        raise self._error


@pytest.mark.parametrize(("error", "seconds"), [(Unavailable("away"), "5"), (Guarded("too many"), "60"),
                                                (NotFound("nothing"), "")])
def test_the_page_of_an_answer_that_cannot_be_had_now_looks_again_by_itself(error: VouchError, seconds: str) -> None:
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, questions=Away(service.questions, error))
    ) as place:
        ana, named = place.person("ana"), "0" * 32
        page = ana.get(f"/answers/{named}")
        again = re.findall(r'<noscript><meta http-equiv="refresh" content="(\d+)"></noscript>', page.text)
        assert again == ([seconds] if seconds else []) and complaints(page.text) == []
        assert ("data-look" in page.text) == bool(seconds)
        for path in (f"/answers/{named}/citations/1", "/nothing"):
            assert "refresh" not in ana.get(path).text


def test_an_answer_that_was_purged_takes_no_vote_and_leads_to_no_trace() -> None:
    with folder_in_memory() as folder, http_place(folder) as place:
        ana = place.person("ana")
        page = ana.ask_on_page(TOKENS)
        assert 'id="vote"' in page.text and "/trace" in page.text and "share" in page.text
        path = re.findall(r'href="(/answers/[0-9a-f]+)/trace"', page.text)[0]
        place.home.purge("docs", "eng/tokens.md")
        page = ana.get(path)
        assert page.status == 200 and "vault" not in page.text and complaints(page.text) == []
        assert 'action="/vote"' not in page.text and "/trace" not in page.text and 'class="share"' not in page.text
        assert 'action="/ask"' in page.text
