"""The home is its owner's alone, at every start."""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from vouch.adapters.filesystem.home import open_home


@pytest.fixture(autouse=True)
def lax() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_made_after_it_is_opened_is_the_owners_alone(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    (home / "parts").mkdir()
    (home / "parts" / "texts.bin").write_bytes(b"x")
    assert [mode(path) for path in (home, home / "parts", home / "parts" / "texts.bin")] == [0o700, 0o700, 0o600]


@pytest.mark.parametrize("held", [None, "ledger.sqlite", "parts"])
def test_an_open_home_is_closed(tmp_path: Path, held: str | None) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    if held:
        (home / held).mkdir()
    assert mode(open_home(home)) == 0o700


def test_another_folder_is_left_as_it_is_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    home = tmp_path / "shared"
    home.mkdir(mode=0o755)
    (home / "letters.txt").write_text("mine")
    with caplog.at_level(logging.WARNING):
        open_home(home)
    assert mode(home) == 0o755 and "chmod 700" in caplog.text
