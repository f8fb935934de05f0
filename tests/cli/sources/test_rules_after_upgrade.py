"""Rules that an earlier vouch took and this one refuses hide their source, and every command says so with the cure."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.wiring.administration import open_administration
from vouch.access import Rule, RuleBook
from vouch.adapters.access.files import read_rules_and_digest

Vouch = Callable[..., tuple[int, str, str]]
REFUSED = "rules:\n  - {match: '**', allow: [public]}\n  - {match: hr, allow: [group:hr]}\n"


@pytest.fixture
def upgraded(vouch: Vouch, tmp_path: Path) -> None:
    """The ledger holds the rules as they were taken, under the digest of the very file that stands there."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "t.md").write_text("# Travel\n\nBook flights by rail.\n")
    (docs / "access.yaml").write_text("rules:\n  - {match: '**', allow: [public]}\n")
    vouch("source", "add", "docs", "--kind", "folder", "--path", docs)
    assert vouch("ingest")[0] == 0 and "rail" in vouch("search", "flights", "--mode", "lexical")[1]
    (docs / "access.yaml").write_text(REFUSED)
    taken = RuleBook((Rule("**", frozenset({"public"})), Rule("hr", frozenset({"group:hr"}))))
    open_administration().ledger.access.set_rules("docs", taken, read_rules_and_digest(docs / "access.yaml")[1])


@pytest.mark.model
@pytest.mark.usefixtures("upgraded")
def test_each_command_names_the_rule_and_what_to_write(vouch: Vouch) -> None:
    wanted = {("status",): 10, ("doctor",): 8, ("ingest",): 0, ("ask", "flights?"): 0, ("search", "flights"): 0}
    for words, code in wanted.items():
        found, out, err = vouch(*words)
        told = out + err
        assert found == code, words
        assert "nobody may read" in told and "rule 2: match 'hr' can match no document" in told, words
        assert 'write "hr/**"' in told and "rail" not in out, words
