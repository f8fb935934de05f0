"""What the pages name exists: folders, make targets, commands, options, pages and their headings."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from running.cli_help import help_of, named_command

ROOT = Path(__file__).parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
NAMES = ["README.md", "CONTRIBUTING.md", "docs/using.md", "docs/demo.md", "docs/access.md", "docs/permissions.md",
         "docs/forgetting.md", "docs/operations.md", "docs/servers.md", "docs/install.md", "docs/backup.md",
         "docs/upgrade.md", "docs/troubleshooting.md", "docs/http.md", "docs/identity.md", "docs/mcp.md",
         "benchmarks/README.md"]
PAGES = [(ROOT / name).read_text(encoding="utf-8") for name in NAMES]
_COMMAND = re.compile(r"(?:^|`|\$ |\.venv/bin/|# |exec worker )vouch ((?:[a-z]+ ?)+)((?:[^`\n\\]|\\\n)*)", re.MULTILINE)


def tracked() -> list[str]:
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return done.stdout.splitlines()


def commands(text: str) -> list[tuple[tuple[str, ...], list[str]]]:
    """(words before the first argument, options) of every `vouch …` in the text."""
    found = []
    for words, rest in _COMMAND.findall(text):
        found.append((tuple(words.split()), re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest)))
    return found


def test_the_folder_table_is_the_tree() -> None:
    table = re.findall(r"^\| `([\w.]+)/` \|", CONTRIBUTING, re.MULTILINE)
    folders = {path.split("/")[0] for path in tracked() if "/" in path}
    assert sorted(table) == sorted(folder for folder in folders if not folder.startswith("."))


def test_every_make_target_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in PAGES:
        for target in re.findall(r"(?:^|`)make ([a-z][a-z-]*)", page, re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_command_and_option_named_exists(page: str) -> None:
    found = commands(page)
    assert found
    for words, options in found:
        command = named_command(words)
        assert command, f"vouch {' '.join(words)}"
        text = help_of(command) or ""
        assert [option for option in options if option not in text] == [], f"vouch {' '.join(command)}"


def test_the_installed_command_is_this_one() -> None:
    command = Path(sys.executable).with_name("vouch")
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for words in {words[0] for page in PAGES for words, _ in commands(page)}:
        assert words in done.stdout


def test_a_command_that_does_not_exist_would_be_seen() -> None:
    assert named_command(("frobnicate",)) == ()
    assert named_command(("source", "frobnicate")) == ()
    assert named_command(("source", "add", "notes")) == ("source", "add")


def linked_pages() -> list[str]:
    return [name for name in tracked() if name.endswith(".md")]


def anchors(text: str) -> set[str]:
    """The headings' names in links."""
    plain = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", plain, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path, text: str) -> list[str]:
    found = []
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
        place = page.parent / target if target else page
        if not place.exists() or (anchor and anchor not in anchors(place.read_text(encoding="utf-8"))):
            found.append(f"{target}#{anchor}")
    return found


def test_every_page_and_heading_linked_exists() -> None:
    pages = linked_pages()
    assert len(pages) > 25
    for name in pages:
        page = ROOT / name
        assert broken_links(page, page.read_text(encoding="utf-8")) == [], name


def test_a_broken_link_would_be_seen() -> None:
    page = ROOT / "docs" / "using.md"
    assert broken_links(page, "[a](nowhere.md) [b](access.md#nothing) [c](#nothing) [d](access.md)") == [
        "nowhere.md#", "access.md#nothing", "#nothing"]


def test_the_start_page_lists_every_page_once() -> None:
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[\S+\]\((\S+)\) \|", text, re.MULTILINE)
    pages = {name.removeprefix("docs/") for name in linked_pages() if name.startswith("docs/")} - {"README.md"}
    assert sorted(listed) == sorted(pages | {"../CONTRIBUTING.md", "../benchmarks/NOTES.md"})
