"""Repositories as sources, and what `vouch notify` and `vouch ingest --path` take and refuse."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from homes.git_repo import GitRepo, git

from cli.wiring.asking import open_announcer
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import LARGEST_PATHS

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def repo(tmp_path) -> GitRepo:
    made = GitRepo(tmp_path / "with space:and colon.git")
    made.commit({"a.md": b"# A\n\nApples.\n"})
    return made


def sent(tmp_path: Path) -> list[dict]:
    log = EmbeddedLog(tmp_path / "home" / "log.sqlite")
    return [json.loads(record.value) for record in log.read("documents.changed")]


def test_a_repository_is_added_with_the_branch_that_head_names_or_another(vouch, repo):
    repo.commit({"b.md": b"B"}, branch="feature/x")
    code, out, err = vouch("source", "add", "one", "--kind", "git", "--path", repo.path)
    assert (code, out) == (0, f"added one: git {repo.path}:main\n") and "no access rules" in err
    assert vouch("source", "add", "two", "--kind", "git", "--path", repo.path, "--branch", "feature/x")[0] == 0
    rows = [json.loads(line) for line in vouch("source", "list", "--json")[1].splitlines()]
    assert [row["path"] for row in rows] == [f"{repo.path}:main", f"{repo.path}:feature/x"]
    code, out, _ = vouch("ingest", "two", "--dry-run", "--json")
    assert (code, [c["path"] for c in json.loads(out)["changes"]]) == (0, ["b.md"])


@pytest.mark.parametrize(
    ("words", "code", "cause"),
    [
        (["--branch", "nothere"], 5, "has no branch nothere"),
        (["--branch", "a..b"], 5, "cannot be the name of a branch"),
        (["--branch", "-x"], 5, "has no branch -x"),
    ],
)
def test_a_branch_that_is_not_there_is_named(vouch, repo, words, code, cause):
    ended, _, err = vouch("source", "add", "one", "--kind", "git", "--path", repo.path, *words)
    assert ended == code and cause in err and "try:" in err


def test_what_is_no_repository_or_has_no_branch_is_refused(vouch, repo, tmp_path):
    assert vouch("source", "add", "x", "--kind", "git", "--path", tmp_path / "nothere")[0] == 3
    (tmp_path / "plain").mkdir()
    code, _, err = vouch("source", "add", "x", "--kind", "git", "--path", tmp_path / "plain")
    assert code == 10 and "plain is not a git repository" in err and "--kind folder" in err and "fsck" not in err
    code, _, err = vouch("source", "add", "x", "--kind", "folder", "--path", tmp_path / "plain", "--branch", "main")
    assert code == 2 and "no branches" in err
    git(repo.path, "update-ref", "--no-deref", "HEAD", git(repo.path, "rev-parse", "main").decode().strip())
    code, _, err = vouch("source", "add", "x", "--kind", "git", "--path", repo.path)
    assert code == 2 and "--branch" in err


def test_notify_puts_the_change_on_the_log(vouch, tmp_path):
    (tmp_path / "docs").mkdir()
    vouch("source", "add", "docs", "--kind", "folder", "--path", tmp_path / "docs")
    assert vouch("notify", "docs")[1] == "announced: docs, all of it\n"
    assert vouch("notify", "docs", "a.md", tmp_path / "docs" / "d" / "b.md")[1] == "announced: docs, a.md, d/b.md\n"
    assert json.loads(vouch("notify", "docs", "ä.md", "--json")[1])["paths"] == ["ä.md"]
    assert sorted(map(str, (m["paths"] for m in sent(tmp_path)))) == sorted(
        map(str, (None, ["a.md", "d/b.md"], ["ä.md"]))
    )


def test_notify_refuses_what_can_name_no_document(vouch, tmp_path):
    (tmp_path / "docs").mkdir()
    vouch("source", "add", "docs", "--kind", "folder", "--path", tmp_path / "docs")
    assert vouch("notify", "nothere")[0] == 3
    for odd in (" ", "/etc/passwd", tmp_path / "docs"):
        assert vouch("notify", "docs", odd)[0] == 2
    assert sent(tmp_path) == []


def test_more_paths_than_a_message_holds_are_the_whole_source(vouch, tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    vouch("source", "add", "docs", "--kind", "folder", "--path", tmp_path / "docs")
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    with open_announcer() as notices:
        notices.send("docs", [f"{n}.md" for n in range(LARGEST_PATHS + 1)])
        notices.send("docs", ["x" * 200_000 + str(n) for n in range(6)])
        notices.send("docs", [f"{n}.md" for n in range(LARGEST_PATHS)])
    assert [m["paths"] and len(m["paths"]) for m in sent(tmp_path)] == [None, None, LARGEST_PATHS]


def test_paths_need_the_name_of_their_source(vouch, tmp_path):
    for name in ("docs", "more"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text("# A\n\nApples.\n")
        vouch("source", "add", name, "--kind", "folder", "--path", tmp_path / name)
    code, _, err = vouch("ingest", "--path", "a.md")
    assert code == 2 and "paths are those of one source" in err
    code, out, _ = vouch("ingest", "docs", "--path", "a.md", "--dry-run", "--json")
    assert (code, [c["path"] for c in json.loads(out)["changes"]]) == (0, ["a.md"])


@pytest.mark.model
def test_a_path_at_which_nothing_is_and_nothing_was_is_refused(vouch, tmp_path):
    docs = tmp_path / "docs"
    (docs / "travel").mkdir(parents=True)
    (docs / "travel" / "a.md").write_text("# A\n\nApples.\n")
    (docs / "picture.png").write_bytes(b"png")
    vouch("source", "add", "docs", "--kind", "folder", "--path", docs)
    for extra in ((), ("--dry-run",), ("--json",)):
        code, out, err = vouch("ingest", "docs", "--path", "travel", "--path", "travle", *extra)
        assert (code, out) == (3, "") and "source docs has no document and no folder travle" in err and "try:" in err
    for odd in ("../docs", "/etc/passwd", ".", str(docs), "a\0b", ""):
        assert vouch("ingest", "docs", "--path", odd)[0] == 2, odd
    for right in ("./travel/", str(docs / "travel" / "a.md"), "picture.png"):
        assert vouch("ingest", "docs", "--path", right)[0] == 0, right
    (docs / "travel" / "a.md").unlink()
    code, out, _ = vouch("ingest", "docs", "--path", "travel", "--allow-removals")
    assert code == 0 and "1 removed" in out         # what is gone from the disk was there in the version before


def test_paths_in_what_is_always_looked_at_as_a_whole_are_refused(vouch, repo):
    vouch("source", "add", "git", "--kind", "git", "--path", repo.path)
    code, _, err = vouch("ingest", "git", "--path", "a.md")
    assert code == 2 and "kind git, which is always read completely" in err and "leave out --path" in err


def test_watch_without_sources_says_so(vouch):
    code, _, err = vouch("watch")
    assert code == 3 and "no sources" in err


def test_a_worker_that_should_use_prefect_without_a_server_says_so(vouch, monkeypatch):
    monkeypatch.setenv("VOUCH_INGEST__STARTER", "prefect")
    code, _, err = vouch("worker", "--drain")
    assert code == 2 and "PREFECT_API_URL" in err


def test_an_ingest_loads_no_prefect_and_tells_the_time_a_person_waited(home, vouch, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_bytes(b"\xff\xfe\x00\xd8 not text \x80\x81")
    (docs / "access.yaml").write_text('rules: [{match: "**", allow: [public]}]\n')
    vouch("source", "add", "docs", "--kind", "folder", "--path", docs)
    code = ("import sys, time; time.sleep(1); from cli.main import app; app(['ingest'], standalone_mode=False); "
            "print(sorted({'prefect', 'distributed', 'uvicorn'} & set(sys.modules)))")
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    took = time.monotonic() - started
    line, modules = done.stdout.splitlines()
    assert modules == "[]" and not (home / "prefect").exists()
    told = float(line.removesuffix(" s").rpartition(" ")[2])
    assert 1 < told <= took + 0.1                   # what came before the command's own code is counted too


def test_a_flow_run_without_a_prefect_server_is_refused_with_a_cure(vouch, tmp_path):
    code, out, err = vouch("ingest", "--prefect", PREFECT_HOME=str(tmp_path / "prefect"))
    assert (code, out) == (2, "") and "no Prefect server is named" in err and "leave out --prefect" in err
