"""An index searched by graphs says that it is not leak-free wherever it shows; an exact one never does."""

import json

import pytest

MARK = "NOT LEAK-FREE"
pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.fixture
def told(vouch, caplog):
    """Runs a command by graphs or exactly; standard output, and what is logged."""

    def call(kind: str, *words: object) -> tuple[str, str]:
        caplog.clear()
        code, out, err = vouch(*words, VOUCH_VECTORS__KIND=kind)
        assert code == 0, err
        return out, err + caplog.text

    return call


def test_every_place_says_it(told, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Leave\n\nEverybody has thirty days of leave.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    told("faiss", "source", "add", "docs", "--kind", "folder", "--path", docs)
    for number, (kind, said) in enumerate((("faiss", False), ("hnsw", True)), 1):
        report = json.loads(told(kind, "ingest", "--json")[0].splitlines()[0])
        assert report["version"] == number and report["embedded"] == (number == 1)
        answer = json.loads(told(kind, "ask", "How many days of leave does everybody have?", "--json")[0])
        assert answer["action"] != "declined" and any(MARK in w for w in answer["warnings"]) == said
        declined = json.loads(told(kind, "ask", "Who won the chess cup?", "--json")[0])
        assert declined["action"] == "declined" and any(MARK in w for w in declined["warnings"]) == said
        for mode in ("fused", "lexical"):
            found = json.loads(told(kind, "search", "leave", "--mode", mode, "--json")[0])
            assert found["results"] and any(MARK in w for w in found["warnings"]) == said
            assert (MARK in told(kind, "search", "leave", "--mode", mode)[0]) == said
        shown = json.loads(told(kind, "versions", "show", number, "--json")[0])
        assert any(MARK in w for w in shown["warnings"]) == said
        assert (MARK in told(kind, "versions", "show", number)[0]) == said
        checks = {row["check"]: row for row in map(json.loads, told(kind, "doctor", "--json")[0].splitlines())}
        assert (MARK in checks["vectors"]["found"]) == said
        assert (MARK in told(kind, "worker", "--drain")[1]) == said
