"""Nothing a command prints steers the terminal, whatever documents, names and questions hold."""

import ast
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import output

BAD = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\u2066\u200b\x7f"
ROOT = Path(__file__).parents[3]
PRINTS = re.compile(r"\bprint\(|\b(?:sys\.)?std(?:out|err)\.write\(|_stream\.write\(|typer\.s?echo\(|\bConsole\(")


def steers(text: str) -> list[str]:
    return [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]


@pytest.fixture
def company(vouch: Any, tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    (docs / "a.md").write_text(f"# Travel {BAD} policy\n\nBook flights {BAD} through the portal.\n\n    code\t{BAD}\n")
    (docs / "u.md").write_text('---\ntitle: "evil \\e[2J title"\n---\nThe printer is blue and stands on floor two.\n')
    (docs / "q.md").write_text(f"---\naccess: 'no {BAD[-3:]} tag'\n---\nSecret.\n")
    (docs / f"n{BAD.replace('/', '')}.md").write_text("# Names\n\nA file with an odd name on flights.\n")
    vouch("source", "add", "c", "--kind", "folder", "--path", docs)
    return docs


@pytest.mark.model
@pytest.mark.slow
def test_no_command_lets_a_document_steer(vouch: Any, company: Path) -> None:
    said = [vouch("ingest")]
    hit = json.loads(vouch("search", "flights", "--mode", "lexical", "--json")[1].splitlines()[0])["results"][0]
    for words in (
        ["search", "flights"], ["search", "printer", "--mode", "lexical"], ["ask", "How do I book flights?"],
        ["ask", f"Where is the {BAD} printer?"], ["show", hit["chunk_id"]], ["documents"], ["status"], ["doctor"],
        ["source", "list"], ["show", f"no{BAD}"], ["search", "x", "--as", f"user:a{BAD}"], ["versions", "list"],
        ["source", "access", f"c{BAD}", "x"], ["access", "explain", "public", f"c:{BAD}"], [f"no{BAD}"],
        ["purge", f"c:{BAD}", "--yes"], ["ingest", f"c{BAD}"],
    ):
        said += [vouch(*words), vouch(*words, "--json")]
    assert [(out, err) for _, out, err in said if steers(out) or steers(err)] == []
    assert any("\\x1b[2J" in out for _, out, _ in said)      # shown, not dropped
    assert sum("\\u001b" in out for _, out, _ in said) > 1


def test_the_test_sees_it_where_words_are_printed_as_they_are(
    vouch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["source", "add", "c", "--kind", "folder", "--path", tmp_path / f"no{BAD}"]
    assert not steers("".join(vouch(*words)[1:]))
    monkeypatch.setattr(output, "printable", lambda text: text)     # what every line goes through
    assert steers("".join(vouch(*words)[1:]))


def test_commands_print_in_one_place_only() -> None:
    found = [str(file) for room in ("cli", "bots") for file in (ROOT / room).rglob("*.py")
             if PRINTS.search(ast.unparse(ast.parse(file.read_text())))]
    names = sorted(Path(name).name for name in found)
    assert names == ["__init__.py", "activity.py", "output.py"], "one fixed sentence, and the line that moves"
