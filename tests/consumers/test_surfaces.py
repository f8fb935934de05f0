"""The surfaces that the settings name."""

from typing import Any

import pytest

from consumers.wiring.surfaces import build_surfaces, served
from vouch.errors import Usage
from vouch.settings import Settings


class Ledger:
    surface = object()


def test_a_callback_is_a_surface_besides_those_of_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger: Any = Ledger()
    assert build_surfaces(Settings(), ledger) == dict.fromkeys(("terminal", "http", "log"), Ledger.surface)
    monkeypatch.setenv("VOUCH_CALLBACK__URL", "https://acme.test/answers")
    monkeypatch.setenv("VOUCH_CALLBACK__SECRET", "whsec_" + "c" * 32)
    monkeypatch.setenv("VOUCH_CALLBACK__HOSTS", "acme.test")
    monkeypatch.setenv("VOUCH_WORKER__SURFACES", "slack, web")
    assert set(build_surfaces(Settings(), ledger)) == {"terminal", "http", "log", Settings().callback.surface}
    assert served(Settings()) == {"terminal", "http", "log", Settings().callback.surface, "slack", "web"}
    monkeypatch.setenv("VOUCH_CALLBACK__SURFACE", "terminal")
    with pytest.raises(Usage, match="is taken"):
        build_surfaces(Settings(), ledger)
