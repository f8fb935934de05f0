"""On a narrow screen the cells of a row stand below each other, each with what it is called."""

import re
from pathlib import Path

import pytest
from http_scene.html_page import Tags

import bots.http.page
from bots.http.page.rendering import Rendering

TEMPLATES = Path(bots.http.page.__file__).parent / "templates"
TABLES = [(path, table) for path in sorted(TEMPLATES.rglob("*.html"))
          for table in re.findall("<table.*?</table>", path.read_text(), re.DOTALL)]


@pytest.mark.parametrize(("path", "table"), TABLES, ids=[path.stem for path, _ in TABLES])
def test_each_cell_is_called_as_its_column(path: Path, table: str) -> None:
    assert path.read_text().count("<td") == sum(other.count("<td") for of, other in TABLES if of == path)
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table)
    cells = [attributes for tag, attributes in Tags(table).found if tag == "td"]
    assert cells and all(one.get("data-label") in heads or one.get("class") == "picture" for one in cells)


def test_a_version_that_no_ingest_made_says_so() -> None:
    row = {"version": 3, "parent": 2, "created_at": "2026-03-10T08:00:00", "told": "", "state": "published",
           "current": True}
    shown = Rendering().piece("operate/versions.html", versions=[row], hold=None, refused=None)
    assert '"What changed">made without an ingest, as by going back<' in shown


def test_what_one_may_do_with_a_version_does_not_run_together() -> None:
    row = {"version": 2, "parent": 1, "created_at": "2026-03-10T08:00:00", "told": "1 added", "state": "published",
           "current": False}
    shown = Rendering().piece("operate/versions.html", versions=[row], hold=None, refused=None)
    assert "changes, go back to it" in re.sub('<span class="unseen">.*?</span>|<[^>]*>', "", shown)
