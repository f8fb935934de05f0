"""A git repository as a source: what stands in a commit is what is known after it, and nothing it says is run."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from homes.git_repo import FIRST_MOMENT, GitRepo, git
from homes.scans import apply, brief, sha

from vouch.adapters.parsers.registry import unread_kind
from vouch.adapters.sources.git.command import check_branch
from vouch.adapters.sources.git.repository import GitRepository
from vouch.adapters.sources.git.source import GitSource
from vouch.errors import BadInput, Unavailable, Unreadable

pytestmark = pytest.mark.integration

MOST = 200


def source(repo: GitRepo, branch: str = "main", most: int = MOST) -> GitSource:
    return GitSource("handbook", repo.path, branch, most)


def documents(repo: GitRepo, commit: str) -> dict[str, str]:
    """Path → sha256 of the documents in a commit, as `git ls-tree` and `git show` tell them: the oracle."""
    found = {}
    for row in git(repo.path, "ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
        facts, _, raw = row.partition(b"\t")
        mode, _, blob = facts.decode().split()
        try:
            path = raw.decode()
        except UnicodeDecodeError:
            continue
        if mode.startswith("100") and not unread_kind(path) and not any(p.startswith(".") for p in path.split("/")):
            found[path] = sha(git(repo.path, "cat-file", "blob", blob))
    return found


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "repo.git")


PATHS = ["a.md", "b.md", "d/c.md", "d", "d/e.txt", "f.dat", ".hidden.md", "ä ö\n\"x.md", b"\xff.md"]
MODES = ["100644"] * 8 + ["100755", "120000"]


def random_history(repo: GitRepo, rng: random.Random, length: int) -> list[str]:
    """First-parent commits of edits, moves, removals, links and merges."""
    files: dict[Any, bytes] = {}
    modes: dict[Any, str] = {}
    commits: list[str] = []
    for _ in range(length):
        for _ in range(rng.randrange(4)):
            path = rng.choice(PATHS)
            if path in files and rng.random() < 0.5:
                data, mode = files.pop(path), modes.pop(path)
                if rng.random() < 0.6:
                    put(files, modes, rng.choice(PATHS), data, mode)
            else:
                put(files, modes, path, rng.choice([b"A", b"B", b"C", b"x" * (MOST + 1), b"y" * (MOST + 2)]),
                    rng.choice(MODES))
        side = None
        if commits and rng.random() < 0.3:
            side = repo.commit({"side.md": b"from the side"}, branch="side", onto=rng.choice(commits))
        commits.append(repo.commit(dict(files), modes=dict(modes), merge=side))
    return commits


def put(files: dict[Any, bytes], modes: dict[Any, str], path: Any, data: bytes, mode: str) -> None:
    """Files and folders of one name exclude each other."""
    for other in [p for p in files if str(p).startswith(f"{path}/") or str(path).startswith(f"{p}/")]:
        del files[other], modes[other]
    files[path], modes[path] = data, mode


@pytest.mark.parametrize("seed", range(6))
def test_any_stopping_points_end_at_the_tree_of_that_commit(repo: GitRepo, seed: int) -> None:
    rng = random.Random(seed)
    commits = random_history(repo, rng, 14)
    git_source = source(repo)
    known, cursor, done = dict[str, str](), dict[str, Any](), 0
    while done < len(commits):
        until = rng.choice([None, rng.randint(1, len(commits))])
        step = rng.choice([None, 1, rng.randint(1, 5)])
        scan = git_source.scan(known, cursor, step=step, until=until)
        end = commits.index(scan.cursor["commit"]) + 1
        last = len(commits) if until is None else max(done, until)
        assert (end, scan.more) == (last if step is None else min(done + step, last), end < last)
        known, cursor, done = apply(known, scan.changes), dict(scan.cursor), end
        oracle = documents(repo, commits[end - 1])
        assert known.keys() == oracle.keys()
        for path, digest in oracle.items():
            change = next((c for c in scan.changes if c.path == path), None)
            if change and change.size > MOST:
                with pytest.raises(Unreadable, match="larger"):
                    git_source.load(change)
            elif change:
                assert sha(git_source.load(change).data) == digest == known[path]
    assert git_source.scan(known, cursor).changes == ()


@pytest.mark.parametrize("seed", range(4))
def test_a_rewritten_history_ends_at_its_tree_and_says_so(repo: GitRepo, seed: int) -> None:
    rng = random.Random(100 + seed)
    random_history(repo, rng, 6)
    git_source = source(repo)
    first = git_source.scan({}, {})
    known = apply({}, first.changes)
    end = repo.commit({"a.md": b"A", "new.md": b"N"}, onto=None)
    for forgotten in (False, True):
        if forgotten:
            git(repo.path, "reflog", "expire", "--expire=now", "--all")
            git(repo.path, "update-ref", "-d", "refs/heads/side") if b"side" in git(repo.path, "branch") else None
            for pack in repo.path.glob("objects/pack/*.keep"):
                pack.unlink()
            git(repo.path, "gc", "-q", "--prune=now")
        scan = source(repo).scan(known, first.cursor, step=1)
        assert apply(known, scan.changes) == documents(repo, end)
        assert (dict(scan.cursor), scan.more) == ({"commit": end}, False)
        assert len(scan.notes) == 1 and "not in the history of main" in scan.notes[0]
        assert ("every document" in scan.notes[0]) == forgotten


def test_what_happened_in_between_is_folded(repo: GitRepo) -> None:
    repo.commit({"a.md": b"A", "b.md": b"B"})
    git_source = source(repo)
    first = git_source.scan({}, {})
    repo.commit({"a.md": b"A", "c.md": b"B"})
    repo.commit({"a.md": b"A", "d/c.md": b"B", "passing.md": b"P"})
    end = repo.commit({"d/c.md": b"B", "a.md": b"A2"})
    scan = git_source.scan(apply({}, first.changes), first.cursor)
    assert brief(scan) == [("upsert", "a.md", None), ("rename", "d/c.md", "b.md")]
    assert (scan.cursor, scan.unchanged, scan.notes) == ({"commit": end}, 0, ())
    moments = {c.path: c.changed_at.timestamp() for c in scan.changes if c.changed_at}
    assert moments == {"a.md": FIRST_MOMENT + 180, "d/c.md": FIRST_MOMENT + 120}


def test_links_submodules_and_names_that_are_no_text_are_told_not_read(repo: GitRepo) -> None:
    commit = repo.commit({"a.md": b"A"})
    files: dict[str | bytes, bytes] = {
        "a.md": b"A", "link.md": b"/etc/passwd", "sub.md": commit.encode(), b"\xff.md": b"F", "t.dat": b"1",
    }  # fmt: skip
    repo.commit(files, modes={"link.md": "120000", "sub.md": "160000"})
    scan = source(repo).scan({}, {})
    assert brief(scan) == [("upsert", "a.md", None)]
    assert {s.path: s.reason.split()[0] for s in scan.skipped} == {
        "link.md": "links", "sub.md": "submodules", "\\xff.md": "name", "t.dat": ".dat"
    }
    repo.commit({"a.md": b"target"}, modes={"a.md": "120000"})
    assert brief(source(repo).scan({"a.md": sha(b"A")}, scan.cursor)) == [("remove", "a.md", None)]


def test_a_huge_blob_is_known_by_size_and_never_read(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"big.md": b"x" * (MOST + 1), "small.md": b"S"})
    read: list[str] = []
    original = vouch_objects().read
    monkeypatch.setattr(vouch_objects(), "read", lambda self, blob: read.append(blob) or original(self, blob))
    git_source = source(repo)
    scan = git_source.scan({}, {})
    assert [(c.path, c.size) for c in scan.changes] == [("big.md", MOST + 1), ("small.md", 1)]
    with pytest.raises(Unreadable, match="larger"):
        git_source.load(scan.changes[0])
    assert len(read) == 1
    repo.commit({"moved.md": b"x" * (MOST + 1), "small.md": b"S"})
    assert brief(git_source.scan(apply({}, scan.changes), scan.cursor)) == [("rename", "moved.md", "big.md")]


def vouch_objects() -> Any:
    from vouch.adapters.sources.git.objects import GitObjects

    return GitObjects


def test_a_tree_of_a_few_objects_that_names_billions_of_files_is_refused(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vouch.adapters.sources.git.source._MOST", 500)
    monkeypatch.setattr("vouch.adapters.sources.git.objects.MOST_BYTES", 100 * 1024**2)
    inner = git(repo.path, "hash-object", "-w", "--stdin", given=b"boom").decode().strip()
    kind, mode = "blob", "100644"
    for level in range(8):
        if level == 3:                  # a thousand files: git can list them, and nobody wants them
            repo_of(repo, inner)
            with pytest.raises(BadInput, match="changes of files at once"):
                source(repo).scan({}, {})
        rows = "".join(f"{mode} {kind} {inner}\tf{n}.md\n" for n in range(10))
        inner, kind, mode = git(repo.path, "mktree", given=rows.encode()).decode().strip(), "tree", "040000"
    repo_of(repo, inner)
    with pytest.raises(Unavailable, match="memory"):
        source(repo).scan({}, {})


def repo_of(repo: GitRepo, tree: str) -> None:
    commit = git(repo.path, "commit-tree", "-m", "boom", tree).decode().strip()
    git(repo.path, "update-ref", "refs/heads/main", commit)


def test_text_is_that_of_the_commit_also_for_another_process_and_after_a_later_one(repo: GitRepo) -> None:
    repo.commit({"a.md": b"first"})
    change = source(repo).scan({}, {}).changes[0]
    assert source(repo).load(change).data == b"first"
    git_source = source(repo)
    git_source.scan({}, {})
    repo.commit({"a.md": b"second"})
    assert git_source.load(change).data == b"first"
    with pytest.raises(Unreadable, match="no longer"):
        source(repo).load(change)


def test_a_shallow_clone_starts_at_its_end_and_goes_on(repo: GitRepo, tmp_path: Path) -> None:
    for n in range(4):
        last = repo.commit({f"{n}.md": str(n).encode(), "same.md": b"S"})
    git(tmp_path, "clone", "-q", "--bare", "--depth", "2", f"file://{repo.path}", "shallow")
    shallow = GitSource("handbook", tmp_path / "shallow", "main", MOST)
    first = shallow.scan({}, {}, until=1)
    assert sorted(c.path for c in first.changes) == ["2.md", "same.md"]
    known = apply({}, first.changes)
    scan = shallow.scan(known, first.cursor)
    assert apply(known, scan.changes) == documents(repo, last)
    older = source(repo).scan({}, {}, until=1)
    found = shallow.scan(apply({}, older.changes), older.cursor)
    assert apply(apply({}, older.changes), found.changes) == documents(repo, last) and found.notes


def test_a_work_tree_and_a_linked_one_are_read_by_their_commits(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "work")
    (tmp_path / "work" / "a.md").write_text("committed")
    git(tmp_path / "work", "add", ".")
    git(tmp_path / "work", "commit", "-qm", "x")
    (tmp_path / "work" / "a.md").write_text("on the disk only")
    git(tmp_path / "work", "worktree", "add", "-q", "-b", "other", tmp_path / "linked")
    for path, branch in ((tmp_path / "work", "main"), (tmp_path / "linked", "other")):
        found = GitSource("it", path, branch, MOST)
        (change,) = found.scan({}, {}).changes
        assert found.load(change).data == b"committed"
        assert GitRepository(path).head() == branch


def test_what_is_missing_is_named(repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="no commits yet"):
        source(repo).scan({}, {})
    repo.commit({"a.md": b"A"})
    with pytest.raises(BadInput, match=r"no branch other.*name a branch that is there: main"):
        source(repo, "other").scan({}, {})
    (tmp_path / "empty").mkdir()
    with pytest.raises(Unavailable, match=r"[Nn]ot a git repository"):
        GitSource("it", tmp_path / "empty", "main", MOST).scan({"a.md": "x"}, {})
    inside = repo.path / "inside"          # a folder in a repository is none itself
    inside.mkdir()
    with pytest.raises(Unavailable):
        GitSource("it", inside, "main", MOST).scan({}, {})
    for name in ("a..b", "a b", "", "x\0y"):
        with pytest.raises((BadInput, Unavailable)):
            check_branch(name)
    check_branch("feature/a#b")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="git cannot be run"):
        source(repo).scan({}, {})


def test_a_damaged_repository_is_an_outage_not_a_removal(repo: GitRepo) -> None:
    first = repo.commit({"a.md": b"A"})
    known = apply({}, source(repo).scan({}, {}).changes)
    repo.commit({"a.md": b"B", "b.md": b"C"})
    for pack in repo.path.glob("objects/pack/*"):
        pack.chmod(0o600)
        pack.write_bytes(b"")
    for loose in repo.path.glob("objects/??/*"):
        loose.chmod(0o600)
        loose.write_bytes(b"")
    with pytest.raises(Unavailable):
        source(repo).scan(known, {"commit": first})


def test_a_folder_of_the_same_documents_has_the_same_hashes(repo: GitRepo, tmp_path: Path) -> None:
    from vouch.adapters.sources.folder.source import FolderSource

    class NoCache:
        def get(self, source: str) -> Mapping[str, tuple[int, int, str]]:
            return {}

        def put(self, source: str, rows: Mapping[str, tuple[int, int, str]]) -> None:
            pass

    repo.commit({"a.md": "ä\r\n".encode(), "d/b.md": b"B", ".x/c.md": b"C", "access.yaml": b"rules: []", "t.dat": b""})
    git(tmp_path, "clone", "-q", repo.path, "out")
    folder = FolderSource("it", tmp_path / "out", NoCache(), MOST).scan({}, {})
    scan = source(repo).scan({}, {})
    assert {c.path: c.hash for c in scan.changes} == {c.path: c.hash for c in folder.changes}
    assert [s.path for s in scan.skipped] == [s.path for s in folder.skipped] == ["t.dat"]
