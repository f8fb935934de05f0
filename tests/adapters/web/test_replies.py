"""What search services reply: results, none, or a failure that calls itself a success."""

import json

import pytest

from vouch.adapters.web.search_service import DIALECTS, listed


@pytest.mark.parametrize(("dialect", "reply"), [
    ("searxng", {"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]}),
    ("searxng", {"error": "rate limit"}),
    ("tavily", {"detail": {"error": "quota exceeded"}}),
    ("serper", {"error": "no credits"}),
    ("brave", {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED"}}),
    ("brave", []),
])
def test_a_failure_is_never_no_results(dialect: str, reply: object) -> None:
    with pytest.raises(ValueError, match=r"error|engines|object"):
        listed(DIALECTS[dialect], json.dumps(reply).encode())


@pytest.mark.parametrize(("dialect", "reply", "found"), [
    ("searxng", {"results": [], "unresponsive_engines": []}, 0),
    ("searxng", {"results": [{"url": "https://a.test/"}], "unresponsive_engines": [["bing", "timeout"]]}, 1),
    ("brave", {"type": "search", "query": {}}, 0),
    ("serper", {"organic": [{"link": "https://a.test/"}, "odd"]}, 1),
])
def test_results_and_none_are_told_apart(dialect: str, reply: object, found: int) -> None:
    assert len(listed(DIALECTS[dialect], json.dumps(reply).encode())) == found
