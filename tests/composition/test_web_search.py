"""The web by the settings: off unless it is chosen, and refused at once where the settings do not fit."""

from datetime import UTC, datetime
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from pydantic import ValidationError
from web_scene.connections import watched

from composition.web_search import check_outside, open_outside
from vouch.access import Label
from vouch.adapters.analyser import SnowballAnalyser
from vouch.correction.components import Outside
from vouch.errors import Usage
from vouch.settings import Settings
from vouch.settings.answering import WebSettings

ANALYSER = SnowballAnalyser()


def opened(**chosen: Any) -> Outside | None:
    settings = Settings(web=WebSettings(**chosen))
    return open_outside(settings, OverlapReranker(ANALYSER), len, ANALYSER, lambda: datetime.now(UTC))


def test_it_is_off_unless_an_engine_is_chosen() -> None:
    assert opened() is None
    assert opened(url="https://search.example", api_key="x") is None


def test_it_serves_whom_and_where_the_settings_say_and_connects_to_nothing() -> None:
    with watched() as connections:
        outside = opened(engine="brave", api_key="key", readers="group:staff, user:Ana@acme.test", surfaces="a, b")
    assert outside is not None and connections.begun == []
    assert outside.readers == Label(frozenset({"group:staff", "user:ana@acme.test"}))
    assert outside.surfaces == frozenset({"a", "b"})


@pytest.mark.parametrize("chosen", [
    {"engine": "searxng"}, {"engine": "serper"}, {"engine": "brave", "api_key": "k", "readers": "everybody"},
])
def test_settings_that_do_not_fit(chosen: dict[str, Any]) -> None:
    with pytest.raises(Usage):
        check_outside(WebSettings(**chosen))


@pytest.mark.parametrize("wrong", [
    {"url": "https://user:word@search.example"}, {"url": "https://search.example/?key=1"},
    {"test_loopback": "10.0.0.1:80"}, {"test_loopback": "127.0.0.1"}, {"test_loopback": "localhost:80"},
    {"engine": "elsewhere"}, {"seconds": 0},
])
def test_values_that_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        WebSettings(**wrong)


def test_nobody_is_served_where_no_reader_is_named() -> None:
    outside = opened(engine="brave", api_key="key", readers="")
    assert outside is not None and outside.readers == Label(frozenset())
