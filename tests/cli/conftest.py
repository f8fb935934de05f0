"""The command line, called in the process of the test."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.main import run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that is not there yet, and no other setting of vouch."""
    for name in [n for n in os.environ if n.startswith("VOUCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def vouch(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command; exit code, standard output and standard error. Settings may be given as keywords."""

    def call(*words: object, **env: str) -> tuple[int, str, str]:
        with monkeypatch.context() as patch:
            for name, value in env.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["vouch", *map(str, words)])
            with pytest.raises(SystemExit) as ended:
                run()
        out, err = capfd.readouterr()
        return int(ended.value.code or 0), out, err

    return call
