"""An index searched by graphs says that it is not leak-free wherever it shows; an exact one never does."""

import json
import os
import sys

import pytest

from cli.main import run

MARK = "NOT LEAK-FREE"
pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.fixture
def vouch(tmp_path, monkeypatch, capfd, caplog):
    """Runs the command line on one home, by graphs or exactly; standard output, and what is logged."""
    for name in [n for n in os.environ if n.startswith("VOUCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))

    def call(kind: str, *words: object) -> tuple[str, str]:
        caplog.clear()
        with monkeypatch.context() as patch:
            patch.setenv("VOUCH_VECTORS__KIND", kind)
            patch.setattr(sys, "argv", ["vouch", *map(str, words)])
            with pytest.raises(SystemExit) as ended:
                run()
        out, err = capfd.readouterr()
        assert not ended.value.code, err
        return out, err + caplog.text

    return call


def test_every_place_says_it(vouch, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Leave\n\nEverybody has thirty days of leave.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    vouch("faiss", "source", "add", "docs", "--kind", "folder", "--path", docs)
    for number, (kind, said) in enumerate((("faiss", False), ("hnsw", True)), 1):
        report = json.loads(vouch(kind, "ingest", "--direct", "--json")[0].splitlines()[0])
        assert report["version"] == number and report["embedded"] == (number == 1)
        answer = json.loads(vouch(kind, "ask", "How many days of leave does everybody have?", "--json")[0])
        assert answer["action"] != "declined" and any(MARK in w for w in answer["warnings"]) == said
        declined = json.loads(vouch(kind, "ask", "Who won the chess cup?", "--json")[0])
        assert declined["action"] == "declined" and any(MARK in w for w in declined["warnings"]) == said
        for mode in ("fused", "lexical"):
            found = json.loads(vouch(kind, "search", "leave", "--mode", mode, "--json")[0])
            assert found["results"] and any(MARK in w for w in found["warnings"]) == said
            assert (MARK in vouch(kind, "search", "leave", "--mode", mode)[0]) == said
        shown = json.loads(vouch(kind, "versions", "show", number, "--json")[0])
        assert any(MARK in w for w in shown["warnings"]) == said
        assert (MARK in vouch(kind, "versions", "show", number)[0]) == said
        checks = {row["check"]: row for row in map(json.loads, vouch(kind, "doctor", "--json")[0].splitlines())}
        assert (MARK in checks["vectors"]["found"]) == said
        assert (MARK in vouch(kind, "worker", "--drain")[1]) == said
