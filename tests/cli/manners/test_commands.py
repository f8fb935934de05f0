"""The command as programs use it: JSON shapes, exit codes, one line of cause and one of cure."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.wiring.administration import open_administration
from vouch.documents.document import DocumentRecord
from vouch.errors import NotFound

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def docs(tmp_path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_text("# Leave\n\nEverybody has thirty days of leave.\n")
    (root / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    return root


def test_help_names_every_command_and_gives_examples(vouch):
    code, out, _ = vouch("--help")
    assert code == 0
    commands = "source directory ingest documents versions ask search show worker feedback train evaluate access doctor"
    for command in commands.split():
        assert f"\n  {command} " in out
    for words in (["ask"], ["ingest"], ["source", "add"], ["versions", "rollback"], ["access", "explain"]):
        assert "Example: vouch " in vouch(*words, "--help")[1]


def test_help_loads_nothing_heavy():
    heavy = {"torch", "transformers", "prefect", "faiss", "sqlalchemy", "openai", "numpy", "rich.console"}
    code = f"import sys, cli.main; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_source_comes_and_goes(vouch, docs):
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", docs)[0] == 0
    (row,) = [json.loads(line) for line in vouch("source", "list", "--json")[1].splitlines()]
    assert (row["name"], row["kind"], row["path"], row["rules"]["count"]) == ("docs", "folder", str(docs), 1)
    assert vouch("source", "remove", "docs")[0] == 0
    assert vouch("source", "list", "--json")[1] == ""


@pytest.mark.parametrize(
    ("words", "code", "cause", "cure"),
    [
        (["ingest"], 3, "there are no sources", "vouch source add"),
        (["ingest", "nothere"], 3, "no source named nothere", "vouch source list"),
        (["source", "add", "x y", "--kind", "folder", "--path", "."], 2, "cannot be the name", "letters"),
        (["source", "add", "x", "--kind", "folder", "--path", "/no/such/folder"], 3, "is not a folder", "--path"),
        (["source", "remove", "x"], 3, "no source 'x'", "vouch source list"),
        (["directory", "load", "/no/such/file"], 5, "/no/such/file", "readable"),
        (["search", "x", "--mode", "lexical"], 3, "there is no index yet", "vouch ingest"),
        (["ask", "x"], 3, "there is no index yet", "vouch ingest"),
        (["search", " "], 5, "is empty", "write a question"),
        (["search"], 2, "either a text or a file", "--queries"),
        (["search", "x", "--as", "ana"], 5, "not an access tag; did you mean user:ana?", "user:NAME"),
        (["trace", "abc"], 3, "there is no answer 'abc'", "--as user:NAME"),
        (["source", "set", "x", "--access", "a.yaml"], 2, "a command of its own", "vouch source access x a.yaml"),
        (["source", "add", "x", "--kind", "folder", "--path", "/", "--access", "/no/file"], 3, "does not exist",
         "check the path"),
        (["golden", "add", "x", "--path", "a.md"], 2, "which words of which document", '--quote "ITS WORDS"'),
        (["golden", "add", "x", "--path", "a.md", "--not-answered"], 2, "name one that does", "leave out either"),
        (["feedback", "nothere", "up"], 3, "no answer 'nothere'", "--verbose"),
        (["feedback", "nothere", "up", "--category", "outdated"], 2, "what is wrong", "leave out --category, or vote"),
        (["versions", "show", "7"], 3, "7", ""),
        (["versions", "rollback", "7"], 3, "7", ""),
        (["versions", "compact"], 3, "there is no index yet", "vouch ingest"),
        (["nosuch"], 2, "nosuch", "--help"),
        (["ingest", "--step", "0"], 2, "--step", "--help"),
        (["source", "add"], 2, "NAME is missing", "vouch source add --help"),
    ],
)
def test_an_error_is_one_line_of_cause_and_one_of_cure(vouch, words, code, cause, cure):
    got, out, err = vouch(*words)
    assert got == code, err
    assert out == ""
    lines = err.splitlines()
    assert lines[0].startswith("error: ") and cause in lines[0]
    assert "Traceback" not in err
    assert cure in err


def test_a_wrong_setting_is_named(vouch):
    code, _, err = vouch("source", "list", VOUCH_LOG_LEVEL="loud")
    assert (code, "VOUCH_LOG_LEVEL" in err, "docs/settings.md" in err) == (2, True, True)


def test_debug_shows_the_traceback(vouch):
    with pytest.raises(NotFound):
        vouch("--debug", "ingest")


def test_a_dry_run_prints_changes_and_makes_nothing(vouch, docs):
    vouch("source", "add", "docs", "--kind", "folder", "--path", docs)
    code, out, _ = vouch("ingest", "--dry-run", "--json")
    assert code == 0
    (row,) = [json.loads(line) for line in out.splitlines()]
    assert (row["version"], row["documents"]["added"], row["guarded"]) == (None, 1, None)
    assert [change["operation"] for change in row["changes"]] == ["add"]
    assert vouch("versions", "list", "--json")[1] == ""


def test_the_name_of_a_former_source_may_be_given_again(vouch, docs):
    """What the former one left stays hidden: tests/flows/permissions/test_names_used_again.py."""
    rows = []
    for _ in range(2):
        assert vouch("source", "add", "docs", "--kind", "folder", "--path", docs, "--exclude", "old/")[0] == 0
        rows += open_administration().ledger.sources.list()
        vouch("source", "remove", "docs")
    assert rows[0].generation != rows[1].generation and rows[0].exclude == ("old/",)


def test_a_source_is_changed_and_its_skipped_files_are_listed(vouch, docs, tmp_path):
    vouch("source", "add", "docs", "--kind", "folder", "--path", docs)
    (docs / "table.dat").write_text("a,b")
    (docs / "drafts").mkdir()
    code, out, _ = vouch("source", "set", "docs", "--exclude", "drafts/", "--json")
    assert code == 0 and json.loads(out)["exclude"] == ["drafts/"] and not json.loads(out)["hidden_until_ingest"]
    told = [json.loads(line) for line in vouch("documents", "--skipped", "--json")[1].splitlines()]
    assert [(row["source"], row["path"]) for row in told] == [("docs", "drafts"), ("docs", "table.dat")]
    code, out, err = vouch("source", "set", "docs", "--path", docs.rename(tmp_path / "elsewhere"))
    assert code == 0 and "hidden until then" in out and not err
    assert vouch("source", "set", "docs")[0] == 2
    assert vouch("source", "set", "docs", "--exclude", "/")[0] == 2


def test_one_source_that_is_gone_does_not_keep_the_others_from_a_dry_run(vouch, docs, tmp_path):
    (tmp_path / "empty").mkdir()
    vouch("source", "add", "aaa", "--kind", "folder", "--path", tmp_path / "empty")
    vouch("source", "add", "docs", "--kind", "folder", "--path", docs)
    code, out, err = vouch("ingest", "--dry-run")
    assert code == 10 and "source aaa was left as it was" in err and "\n1 change" in out


def test_a_compaction_is_made_when_there_is_something_to_gain(vouch):
    store = open_administration().store
    for paths in (("a.md", "b.md", "c.md", "d.md"), ("e.md",)):
        store.publish(
            store.open_current(), moved={}, removed=[], cursors={}, vectors=lambda keys: None,
            changed=[DocumentRecord("docs", path, "h", "quarantined", reason="no text") for path in paths],
            fingerprints=store.fingerprints("e", "c"),
        )
    assert len(store.manifest(2).parts) == 2
    assert json.loads(vouch("versions", "compact", "--json")[1]) == {"version": 3, "rows_written": 0}
    code, out, _ = vouch("versions", "compact")
    assert code == 0 and "the current version is compact already" in out
    assert json.loads(vouch("versions", "compact", "--json")[1]) == {"version": None, "rows_written": 0}
    assert [header.path for header in store.open_current().documents()] == ["a.md", "b.md", "c.md", "d.md", "e.md"]
    assert len(store.manifest(3).parts) == 1


def test_another_access_file_counts_at_once(vouch, docs, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text('rules:\n  - {match: "**", allow: [group:x]}\n  - {match: "a*", allow: [group:y]}\n')
    assert "is not used" in vouch("source", "add", "docs", "--kind", "folder", "--path", docs, "--access", other)[2]
    assert vouch("source", "access", "docs", docs / "access.yaml")[0] == 0
    assert open_administration().permissions.rulebooks["docs"].allowed("a.md") == {"public"}
    assert vouch("source", "access", "docs", other)[0] == 0
    assert open_administration().permissions.rulebooks["docs"].allowed("a.md") == {"group:y"}
    assert vouch("source", "access", "nothere", other)[0] == 3
    assert vouch("source", "access", "docs", tmp_path / "missing.yaml")[0] == 3


def test_a_source_without_rules_warns_that_nobody_reads(vouch, docs):
    (docs / "access.yaml").unlink()
    code, _, err = vouch("source", "add", "docs", "--kind", "folder", "--path", docs)
    assert code == 0 and "nobody may read" in err
    assert vouch("doctor", "--json")[0] == 8


def test_an_interrupt_while_the_command_is_loaded_leaves_no_traceback():
    words = [sys.executable, "-c", "import cli; raise KeyboardInterrupt"]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines() == ["error: interrupted", "  try: run the command again: nothing was done yet"]
    assert ended.returncode == -signal.SIGINT


def test_the_commands_of_a_process_are_built_once(vouch, monkeypatch):
    assert vouch("versions", "list")[0] == 0
    monkeypatch.setattr("typer.main.get_command", None)
    assert vouch("versions", "list")[0] == 0


@pytest.mark.parametrize("how", ["code", "wrapped"])
def test_an_interrupt_says_that_work_is_kept(vouch, monkeypatch, how):
    def app(**_: object) -> int:
        if how == "code":
            return 130
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise ValueError("a library wrapped it") from error

    monkeypatch.setattr("cli.main._commands", lambda program: app)
    code, _, err = vouch("ingest")
    assert (code, "interrupted" in err, "finished work is kept" in err) == (130, True, True)


def test_without_golden_questions_it_is_said_how_to_add_one(vouch):
    code, out, _ = vouch("golden", "list")
    assert code == 0 and "no questions yet" in out and "vouch golden add" in out
    assert vouch("golden", "list", "--json")[1] == ""
