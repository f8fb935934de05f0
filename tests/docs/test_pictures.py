"""Pictures that the pages show: small, made by `make screenshots`, and none that no page shows."""

import re
import runpy
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHOWN = re.compile(r"!\[[^\]]+\]\(([^)\s]+\.png)\)")


def test_each_picture_is_small_and_shown() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {(page.parent / name).resolve() for page in pages for name in SHOWN.findall(page.read_text("utf-8"))}
    held = {picture.resolve() for picture in (ROOT / "docs" / "pictures").iterdir()}
    assert shown == held and len(held) == 3
    for picture in held:
        assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size < 150_000, picture


def test_without_chromium_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    made = runpy.run_path(str(ROOT / "docs" / "make_screenshots.py"))
    with pytest.raises(SystemExit, match="there is no program chromium"):
        made["main"]()
