"""vouch label from end to end: keys from standard input and from a terminal, saved at once, resumed, in and out."""

import io
import json
import os
import pty
import sys
import termios
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from homes.small_world import passage
from machines.ledger_place import new_ledger

from bots.wrapping import cells
from cli.learning.judging import judged_by_keys, page
from cli.learning.keys import Keys
from services.labeling.judging import Shown, ToJudge
from services.labeling.label_walk import Step
from vouch.learning.labels.label import Label
from vouch.values.candidate import Passage

ANA = "user:ana@acme.test"
ASKED = "How often are the vault tokens rotated?"


@pytest.fixture
def answered(vouch: Any, tmp_path: Path) -> str:
    """Two documents, one of them for staff alone, and a question that Ana asked."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "tokens.md").write_text("# Tokens\n\nThe vault tokens are rotated every ninety days.\n")
    (docs / "plan.md").write_text("# Plan\n\nThe secret plan is that tokens are sold in June.\n")
    (docs / "access.yaml").write_text(
        'rules:\n  - {match: "**", allow: [public]}\n  - {match: "plan.md", allow: ["group:staff"]}\n')
    (tmp_path / "directory.yaml").write_text(
        "people:\n  ana@acme.test: {groups: [staff]}\n  bo@acme.test: {groups: []}\ngroups:\n  staff: {}\n")
    assert vouch("directory", "load", tmp_path / "directory.yaml")[0] == 0
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", docs)[0] == 0
    assert vouch("ingest")[0] == 0
    code, told, err = vouch("ask", ASKED, "--as", ANA, "--json")
    assert code == 0, err
    return str(json.loads(told)["id"])


@pytest.mark.model
@pytest.mark.slow
def test_the_whole_way_of_a_label(
    vouch: Any, answered: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def label(pressed: str, *more: object) -> tuple[int, str, str]:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO(pressed))
            found: tuple[int, str, str] = vouch("label", *more)
            return found

    assert label("")[0] == label("3\n", "--limit", 1)[0] == 2 and label("3\n", "--as", "group:staff")[0] != 0
    told = label("3\nu\nh\nq\n", "--as", ANA)[1]
    assert "taken back" in told and "0 passages judged and saved" in told and "the same subject" in told
    code, told, err = label("x\n3\n", "--as", ANA)
    assert code == 0 and "question 1 of 1, passage 1 of 2" in told and "seed 0" in told, err
    assert "1 passage judged" in told and "run it again" in told and "0 not relevant" in told
    assert "saved: 3 answers it" in told and "who reads it" not in told
    rows = [json.loads(line) for line in label("0\n", "--as", ANA, "--json")[1].splitlines()]
    assert [row.get("place") for row in rows] == [2, None] and rows[-1]["finished"] and rows[-1]["judged"] == 1
    assert "nothing is left" in label("", "--as", ANA)[1]
    assert "0 questions" in label("", "--as", "user:bo@acme.test")[1], "it was asked for Ana alone"

    mine = tmp_path / "mine.jsonl"
    mine.write_text(json.dumps({"question": "What is sold in June?"}) + "\n")
    told = label("", "--as", "user:bo@acme.test", "--questions", mine)[1]
    assert "ninety days" in told and "secret plan" not in told
    assert "secret plan" in label("s\ns\n", "--as", ANA, "--questions", mine)[1]

    for person in ("user:bo@acme.test", "public"):
        code, told, err = vouch("feedback", answered, "down", "--as", person)
        assert code == 3 and told == "" and "not made for you" in err and "--as user:NAME" in err, "it is Ana's"
    assert vouch("feedback", answered, "down", "--category", "wrong", "--as", ANA)[0] == 0
    made = json.loads(vouch("label", "collect", "--json")[1])
    assert made["answers"] == 1 and made["labels"]["vote"] >= 1 and made["labels"]["cited"] >= 1
    out, qrels, topics = (tmp_path / name for name in ("out.jsonl", "out.qrels", "topics.jsonl"))
    assert json.loads(vouch("label", "export", out, "--json")[1])["lines"] == 2
    assert {json.loads(line)["relevance"] for line in out.read_text().splitlines()} == {0, 3}
    everything = json.loads(vouch("label", "export", tmp_path / "all.jsonl", "--all", "--json")[1])["lines"]
    assert everything == 2 + sum(made["labels"].values())
    assert vouch("label", "export", qrels, "--format", "qrels", "--questions", topics)[0] == 0
    assert vouch("label", "export", qrels, "--format", "qrels")[0] == 2
    out.write_text(out.read_text().replace('"relevance": 3', '"relevance": 1'))
    told = vouch("label", "import", out)[1]
    assert "1 label taken" in told and "1 line left out: already there" in told
    as_qrels = ("label", "import", qrels, "--format", "qrels", "--questions", topics)
    assert "1 label taken" in vouch(*as_qrels)[1], "nobody says 3 any more, and somebody says 0"
    assert json.loads(vouch(*as_qrels, "--undo", "--json")[1]).items() >= {"taken_back": 1, "left": 1}.items()
    assert "0 labels" in vouch(*as_qrels, "--undo")[1] and vouch(*as_qrels)[0] == 0
    gone = tmp_path / "gone.jsonl"
    gone.write_text(json.dumps({"question": "Who?", "audience": ["public"], "chunk_id": "0" * 32, "relevance": 1}))
    assert json.loads(vouch("label", "import", gone, "--json")[1])["left_out"] == 1
    assert "1 line left out: no kept version" in vouch("label", "import", gone)[1]
    qrels.write_text(qrels.read_text() + "nothing 0 c 1\n")
    code, _, err = vouch("label", "import", qrels, "--format", "qrels", "--questions", topics)
    assert code != 0 and "line 3" in err
    vouch("label", "export", out, "--force")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted((row["relevance"], row["person"] or "") for row in rows) == [(0, ANA), (1, ANA), (3, "")]
    code, _, err = vouch("train", "fusion", "--questions", "/dev/zero", "--out", tmp_path / "f.json")
    assert code != 0 and "longer than" in err


def test_an_export_writes_over_nothing_and_to_standard_output(
    vouch: Any, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = new_ledger(home / "ledger.sqlite")
    ledger.labels.put([Label("Who?", ("public",), "c1", None, 0, 2, "judged", 1.0, datetime(2026, 11, 1, tzinfo=UTC))])
    ledger.close()
    monkeypatch.chdir(tmp_path)
    there, topics = tmp_path / "there", tmp_path / "topics.jsonl"
    there.write_text("mine")
    qrels = ("--format", "qrels", "--questions")
    for words in ((there,), (there, *qrels, topics), ("new", *qrels, there), ("-", *qrels, there), ("-", *qrels, "-")):
        code, out, err = vouch("label", "export", *words)
        assert (code, out) == (2, "") and ("--force" in err or "to a file" in err), words
    assert there.read_text() == "mine" and sorted(one.name for one in tmp_path.iterdir()) == ["home", "there"]
    code, out, err = vouch("label", "export", "-")
    assert code == 0 and json.loads(out)["question"] == "Who?", err
    code, out, err = vouch("label", "export", "-", *qrels, topics)
    assert code == 0 and out.split()[1:] == ["0", "c1", "2"] and json.loads(topics.read_text())["id"] == out.split()[0]
    assert not (tmp_path / "-").exists()
    assert vouch("label", "export", there, "--force")[0] == 0 and json.loads(there.read_text())["relevance"] == 2


def of(text: str, chunk_id: str) -> Passage:
    place = {"section": ("Tokens", "Rotation"), "first_line": 7, "last_line": 9}
    return replace(passage(text, chunk_id=chunk_id, path="tokens.md"), source="docs", title="Tokens", **place)


def shown(room: int, former: int | None = None) -> list[str]:
    asked = ToJudge("How often are the vault tokens rotated, and by whom? " * 2, ("public",))
    told = Shown(asked, of("They rotate. " * 30, "a"), of("before " * 60, "b"), of("after " * 60, "c"), 1, 0)
    return [line.text for line in page(Step(told, 3, 40, 2, 9, former), 11, room)]


@pytest.mark.parametrize("room", [40, 80, 200])
def test_a_page_fits_the_terminal_and_says_where_one_is(room: int) -> None:
    lines = shown(room)
    assert all(cells(line) <= room for line in lines) and len(lines) < 40
    text = " ".join(lines)
    assert "question 3 of 40" in text and "11 judged" in text and "docs:tokens.md" in text and "lines 7-9" in text
    marked = [line for line in lines if line.startswith("  │ ")]
    assert " ".join(line[4:] for line in marked) == ("They rotate. " * 30).strip()
    first = lines.index(marked[0])
    assert "before" in lines[first - 1] and "after after" in lines[first + len(marked)]
    assert lines[-1].endswith("q quit") and "you said" not in text
    assert "you said 2 relevant" in " ".join(shown(room, 2))


def test_a_terminal_gives_single_keys_and_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    with os.fdopen(slave) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        pressed = Keys()
        os.write(master, b"2")
        assert next(pressed) == "2"
        assert termios.tcgetattr(stdin.fileno()) != before
        os.write(master, b"\x1b[A")
        assert next(pressed) == ""
        os.write(master, b"bq")
        assert [next(pressed), next(pressed)] == ["b", "q"]
        os.write(master, b"\x04")
        assert list(pressed) == []
        assert termios.tcgetattr(stdin.fileno()) == before
    os.close(master)


def test_what_was_typed_before_a_passage_was_shown_judges_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither keys that waited while the first was looked for, nor one that was held down on the page before."""
    master, slave = pty.openpty()
    step = Step(Shown(ToJudge(ASKED, ("public",)), of("They rotate.", "a"), None, None, 1, 0), 1, 1, 1, 9, None)

    class Walk:
        judged = 0

        def __init__(self) -> None:
            self.asked = 0

        def current(self) -> Step:
            self.asked += 1
            threading.Timer(0.3, os.write, (master, b"333" if self.asked == 1 else b"q")).start()
            return step

        def judge(self, relevance: int) -> bool:
            self.judged += 1
            return True

    walk: Any = Walk()
    with os.fdopen(slave) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        os.write(master, b"000\n")
        with closing(Keys()) as pressed:
            os.write(master, b"11")
            done = judged_by_keys(walk, pressed, False)
    os.close(master)
    assert (walk.judged, done["finished"]) == (1, False)
    said = capsys.readouterr().out
    assert said.count("saved: 3") == 1 and "saved: 0" not in said and "saved: 1" not in said
