"""`vouch golden`: questions are kept only if their reader may read what answers them."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.model, pytest.mark.slow]
WEEKS, PAY = "twelve weeks of paid leave", "ninety thousand crowns"


@pytest.fixture
def company(vouch: Any, tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text(f"# Parental leave\n\nParents get {WEEKS} in every\nyear.\n")
    (docs / "pay.md").write_text(f"# Pay\n\nThe head of sales earns {PAY} in every year.\n")
    (docs / "access.yaml").write_text(
        'rules:\n  - {match: "**", allow: [public]}\n  - {match: "pay.md", allow: ["group:board"]}\n'
    )
    (tmp_path / "directory.yaml").write_text("people:\n  ana@acme.test: {groups: [board]}\ngroups:\n  board: {}\n")
    assert vouch("directory", "load", tmp_path / "directory.yaml")[0] == 0
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", docs)[0] == 0
    assert vouch("ingest")[0] == 0
    return docs


def test_questions_are_added_listed_and_asked_by_their_own_readers(vouch: Any, home: Path, company: Path) -> None:
    assert "no questions yet" in vouch("golden", "list")[1] and vouch("evaluate", "golden")[0] == 3
    add = ("golden", "add", "How many weeks of paid leave do parents get?", "--path", "leave.md", "--quote")
    code, out, err = vouch(*add, f"{WEEKS} in every year.", "--kind", "fact", "--json")
    assert code == 0, err
    assert json.loads(out)["sources"] == ["docs"]
    assert "there already" in vouch(*add, f"{WEEKS} in every year.")[2]
    pay = ("golden", "add", "What does the head of sales earn?", "--path", "pay.md", "--quote", PAY)
    assert vouch(*pay, "--as", "group:board")[0] == 0
    assert vouch("golden", "add", "Who won the chess tournament?", "--not-answered")[0] == 0
    file = home / "golden.jsonl"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "group:board" in vouch("golden", "list")[1] and len(vouch("golden", "list", "--json")[1].splitlines()) == 3
    code, out, err = vouch("evaluate", "golden", "--json", "--least", "1")
    assert code == 0, err
    found = json.loads(out)
    assert found["answerable"]["shown"] == 1 and found["kinds"]["fact"]["answerable"]["questions"] == 1
    assert Path(found["report"]).name.startswith("golden-") and found["retrieval"]["final"]["R@1"] == 1
    rows = [json.loads(line) | {"quotes": ["Nobody wrote this here"]} for line in file.read_text().splitlines()[:1]]
    file.write_text(json.dumps(rows[0]))
    code, out, err = vouch("evaluate", "golden", "--least", "0.5")
    assert code == 6 and "less than 50.0%" in err
    # One kind is one row of each table, and what has no rows has no headings.
    assert sum(line.startswith("all ") for line in out.splitlines()) == 3 and "not answerable" not in out


def test_of_what_a_reader_may_not_read_nothing_is_told(vouch: Any, home: Path, company: Path) -> None:
    """The refusal is the same, word for word, whether the document is there or not."""
    def refused(path: str, quote: str = PAY) -> str:
        code, _, err = vouch("golden", "add", "What does the head of sales earn?", "--path", path, "--quote", quote)
        assert code == 3
        return str(err).replace(path, "PATH")

    assert refused("pay.md") == refused("nothing.md") and "does not hold" in refused("leave.md")
    assert not (home / "golden.jsonl").exists()
    for words, code in ((("--path", "leave.md"), 2), ((), 2), (("--not-answered", "--path", "x"), 2),
                        (("--path", "leave.md", "--quote", WEEKS, "--as", "group:nobody"), 3)):
        assert vouch("golden", "add", "How long?", *words)[0] == code, words


def test_a_purge_takes_questions_with_words_of_the_document(vouch: Any, home: Path, company: Path) -> None:
    for name, quote, reader in (("leave.md", WEEKS, "public"), ("pay.md", PAY, "group:board")):
        assert vouch("golden", "add", f"What of {name}?", "--path", name, "--quote", quote, "--as", reader)[0] == 0
    (company / "pay.md").unlink()
    code, _, err = vouch("purge", "docs:pay.md", "--yes")
    assert code == 0, err
    assert [row["quote_paths"] for row in map(json.loads, (home / "golden.jsonl").read_text().splitlines())] == [
        ["leave.md"]]


def test_they_are_a_gate_of_what_is_served_where_the_setting_says_so(vouch: Any, home: Path, company: Path) -> None:
    assert vouch("golden", "add", "How many weeks of leave?", "--path", "leave.md", "--quote", WEEKS)[0] == 0
    (company / "leave.md").write_text("# Parental leave\n\nAsk the people team about it, please.\n")
    code, _, err = vouch("ingest", VOUCH_INGEST__GOLDEN_LOSS="0")
    assert code == 6 and "0 of 1 golden questions" in err and "VOUCH_INGEST__GOLDEN_LOSS" in err
    search = ("search", "paid leave", "--mode", "lexical")
    assert WEEKS in vouch(*search)[1]
    assert vouch("ingest", VOUCH_INGEST__GOLDEN_LOSS="1")[0] == 0
    assert WEEKS not in vouch(*search)[1]
