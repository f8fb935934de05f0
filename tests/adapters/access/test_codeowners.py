"""CODEOWNERS files become entries that name the same owners of documents."""

import pytest
import yaml

from vouch.access import OwnerBook
from vouch.adapters.access.codeowners import read_codeowners
from vouch.adapters.access.files import read_rules

TEXT = """# Who looks after what
*            @acme/handbook   # by default
*.md         @Docs
/pages/hr/   @acme/people ben@acme.test
pages/hr/pay.md @acme/Payroll
drafts/
apps/site    @acme/web
/top/*       @acme/top
[Section]
!no.md       @acme/x
a\\ b.md     @acme/x
"""


@pytest.mark.parametrize(("path", "owners"), [
    ("a.html", {"group:handbook"}), ("far/a.html", {"group:handbook"}), ("far/a.md", {"user:docs"}),
    ("pages/hr/x/y.md", {"group:people", "user:ben@acme.test"}), ("pages/hr/pay.md", {"group:Payroll"}),
    ("far/pages/hr/pay.md", {"user:docs"}), ("x/drafts/a.md", set()), ("apps/site/a.md", {"group:web"}),
    ("top/a.md", {"group:top"}), ("top/x/a.md", {"user:docs"}),
])
def test_a_path_has_the_owners_that_github_names(path: str, owners: set[str]) -> None:
    assert OwnerBook(read_codeowners(TEXT).rules).owners_of(path) == owners


def test_what_cannot_be_written_is_noted() -> None:
    notes = read_codeowners(TEXT).notes
    assert len(notes) == 2 and notes[0].startswith("line 10: ") and notes[1].startswith("line 11: ")


def test_no_line_is_dropped_without_a_word() -> None:
    found = read_codeowners("[Docs]\n^[Docs][2]\n[Docs] @x\n[abc]d @y\n!neg @z\na\\ b @z\n[\n")
    assert found.rules == () and [note.partition(":")[0] for note in found.notes] == [f"line {n}" for n in range(3, 8)]
    assert "sign !" in found.notes[2] and "sign \\" in found.notes[3]


def test_the_command_writes_what_an_access_file_takes(tmp_path, capsys) -> None:
    from cli.administration.access import codeowners

    (tmp_path / "CODEOWNERS").write_text(TEXT)
    codeowners(tmp_path / "CODEOWNERS")
    told = capsys.readouterr()
    (tmp_path / "access.yaml").write_text("rules: []\n" + told.out)
    assert read_rules(tmp_path / "access.yaml").owners.rules == read_codeowners(TEXT).rules
    assert yaml.safe_load(told.out)["owners"][0] == {"match": "**", "owners": ["group:handbook"]}
    assert "line 10" in told.err
