"""An edit of an access file counts from the next look on, and no slower process takes it back."""

import os
import resource
import signal
from pathlib import Path

import pytest

from vouch.access import Directory, Permissions, RuleBook
from vouch.adapters.access import watched as watching
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.ledger import SourceRow, open_ledger
from vouch.errors import LedgerDown

OPEN, SHUT = 'rules: [{match: "**", allow: [public]}]', "rules: []"


class Rules:
    """Remembers the rules in force; `meanwhile` happens once, between reading a file and writing its rules."""

    def __init__(self, meanwhile=lambda: None) -> None:
        self.book = RuleBook()
        self.meanwhile = meanwhile

    def set_rules(self, source: str, rules: RuleBook, digest: str) -> bool:
        happen, self.meanwhile = self.meanwhile, lambda: None
        happen()
        self.book = rules
        return True

    def permissions(self) -> Permissions:
        return Permissions.settled(1, {"docs": self.book}, Directory())


class Sources:
    def __init__(self, path: Path) -> None:
        self.path = path

    def list(self):
        return [SourceRow("docs", "folder", "/docs", str(self.path))]


@pytest.fixture
def docs(ledger):
    ledger.sources.add(SourceRow("docs", "folder", "/docs"))
    return ledger


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "access.yaml"
    path.write_text(OPEN)
    return path


def allowed(watched: WatchedPermissions) -> frozenset[str]:
    return watched.permissions().rulebooks["docs"].allowed("a.md")


def test_an_edit_counts_at_the_next_look(file):
    watched = WatchedPermissions(Sources(file), Rules())
    assert allowed(watched) == {"public"}
    file.write_text(SHUT)
    assert allowed(watched) == frozenset()


@pytest.mark.parametrize("edit", [lambda f: f.unlink(), lambda f: f.write_text("rules: [oops")])
def test_a_file_that_is_gone_or_broken_grants_nothing(file, edit):
    watched = WatchedPermissions(Sources(file), Rules())
    assert allowed(watched) == {"public"}
    edit(file)
    assert allowed(watched) == frozenset()


def test_a_revocation_during_a_look_is_not_overwritten(file):
    """The file is shut after this process has read it open and before it has written what it read."""
    rules = Rules(meanwhile=lambda: file.write_text(SHUT))
    assert allowed(WatchedPermissions(Sources(file), rules)) == frozenset()


def test_unwatched_files_are_left_to_the_ledger(file):
    assert allowed(WatchedPermissions(Sources(file), Rules(), watch=False)) == frozenset()


def test_another_process_that_cannot_read_the_file_shuts_nobody_out_for_longer_than_it_looks(file, docs):
    here = WatchedPermissions(Sources(file), docs.access)
    assert allowed(here) == {"public"}
    there = WatchedPermissions(Sources(file.parent / "not mounted.yaml"), open_ledger(docs.name).access)
    assert allowed(there) == frozenset()
    assert allowed(here) == {"public"} and allowed(here) == {"public"}
    assert allowed(there) == frozenset(), "and it grants nothing by what others can read"


def test_what_is_read_again_is_the_file_and_not_what_was_known_of_it(file, docs):
    """Another process's old copy opened what is shut here, and the file here is gone by now."""
    here, old = WatchedPermissions(Sources(file), docs.access), file.parent / "old.yaml"
    file.write_text(SHUT)
    assert allowed(here) == frozenset()
    old.write_text(OPEN)
    there = WatchedPermissions(Sources(old), docs.access)
    assert allowed(there) == {"public"}
    assert allowed(here) == frozenset()
    assert allowed(there) == {"public"}
    file.unlink()
    assert allowed(here) == frozenset()


def test_whoever_agrees_writes_nothing(file, docs):
    first, second = (WatchedPermissions(Sources(file), docs.access) for _ in range(2))
    epochs = {watched.permissions().epoch for _ in range(3) for watched in (first, second)}
    file.write_text(SHUT)
    epochs |= {watched.permissions().epoch for _ in range(3) for watched in (first, second)}
    assert len(epochs) == 2


class Counted:
    """The ledger's sources, each look at which is counted."""

    def __init__(self, ledger) -> None:
        self.rows, self.looks = ledger.sources, 0

    def list(self):
        self.looks += 1
        return self.rows.list()


@pytest.fixture
def listed(docs, file, monkeypatch):
    """Looked at before, long after the file was written."""
    docs.sources.set_access("docs", str(file))
    monkeypatch.setattr(watching, "_just_written", lambda state: False)
    sources = Counted(docs)
    watched = WatchedPermissions(sources, docs.access)
    assert [allowed(watched) for _ in range(3)] == [{"public"}] * 3
    sources.looks = 0
    return watched, sources


def test_while_nothing_changes_sources_are_not_listed_again(listed):
    watched, sources = listed
    assert allowed(watched) == {"public"} and sources.looks == 0


def test_other_sources_and_other_access_files_count_at_the_next_look(listed, docs, file):
    watched, _ = listed
    shut = file.with_name("shut.yaml")
    shut.write_text(SHUT)
    docs.sources.set_access("docs", str(shut))
    assert allowed(watched) == frozenset()
    docs.sources.add(SourceRow("more", "folder", "/more", str(file)))
    assert watched.permissions().rulebooks["more"].allowed("a.md") == {"public"}


def test_an_edit_that_another_thread_puts_in_force_meanwhile_counts_too(listed, docs, file, monkeypatch):
    watched, _ = listed
    file.write_text(SHUT)
    looked_up = docs.access.permissions

    def overtaken() -> Permissions:
        found = looked_up()
        monkeypatch.setattr(docs.access, "permissions", looked_up)
        watched.refresh()
        return found

    monkeypatch.setattr(docs.access, "permissions", overtaken)
    assert allowed(watched) == frozenset()


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 20 << 30)         # sparse: it takes no room on the disk


@pytest.mark.parametrize("put", [os.mkfifo, huge, endless])
def test_nothing_in_place_of_one_access_file_stops_questions_about_other_sources(tmp_path, file, put):
    """A pipe would be waited for, and a file without end would not fit into memory."""
    other, rules = tmp_path / "other.yaml", {}
    put(other)

    class Two:
        def list(self):
            return [SourceRow(name, "folder", "/docs", str(path)) for name, path in (("bad", other), ("docs", file))]

    class Store:
        def set_rules(self, source, book, digest):
            rules[source] = book
            return True

        def permissions(self):
            return Permissions(1, rules, Directory())

    before = resource.getrlimit(resource.RLIMIT_AS)
    old = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("the look at the access files hangs"))
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, before[1]))
    signal.alarm(10)
    try:
        assert allowed(WatchedPermissions(Two(), Store())) == {"public"}
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert rules["bad"].broken and not rules["docs"].broken


class Several:
    def __init__(self, **paths: Path) -> None:
        self.paths = paths

    def list(self):
        return [SourceRow(name, "folder", "/docs", str(path)) for name, path in self.paths.items()]


def test_a_number_that_is_too_long_hides_its_own_source_alone(tmp_path, file, docs):
    docs.sources.add(SourceRow("bad", "folder", "/docs"))
    bad = tmp_path / "bad.yaml"
    bad.write_text(f'rules: [{{match: "**", allow: [public, 0x{"f" * 4000}]}}]')
    watched = WatchedPermissions(Several(bad=bad, docs=file), docs.access)
    assert allowed(watched) == {"public"}
    book = watched.permissions().rulebooks["bad"]
    assert book.broken and book.allowed("a.md") == frozenset()


@pytest.mark.parametrize("error", [ValueError("odd"), TypeError("odd"), RecursionError("odd")])
def test_rules_that_no_ledger_takes_hide_their_source_once_and_no_other(tmp_path, file, error):
    other, stored, tried = tmp_path / "bad.yaml", {}, []
    other.write_text(OPEN)

    class Store:
        def set_rules(self, source, book, digest):
            tried.append(source)
            if source == "bad" and not book.broken:
                raise error
            stored[source] = book
            return True

        def permissions(self):
            return Permissions.settled(1, stored, Directory())

    watched = WatchedPermissions(Several(bad=other, docs=file), Store())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watching, "_just_written", lambda state: False)
        assert allowed(watched) == {"public"} and "cannot be stored" in stored["bad"].broken
        before = list(tried)
        assert allowed(watched) == {"public"} and tried == before, "it is remembered while the file stays as it is"


def test_a_ledger_that_is_down_stops_the_look(file):
    """What is in force may be what was revoked."""

    class Down(Rules):
        def set_rules(self, source, rules, digest):
            raise LedgerDown("the ledger does not answer")

    with pytest.raises(LedgerDown):
        WatchedPermissions(Sources(file), Down()).permissions()


def in_place(file: Path, text: str) -> None:
    file.write_text(text)


def by_another_file(file: Path, text: str) -> None:
    beside = file.with_suffix(".new")
    beside.write_text(text)
    beside.replace(file)


@pytest.fixture(params=[in_place, by_another_file])
def quietly_shut(file, request):
    """What `rsync -t` does: the file shuts, with the size and the time of last writing that it had."""
    def shut() -> None:
        was = file.stat()
        request.param(file, SHUT.ljust(len(OPEN)))
        os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)
    return shut


def test_a_file_replaced_by_one_of_equal_size_and_time_counts_at_once(file, quietly_shut):
    watched = WatchedPermissions(Sources(file), Rules())
    assert allowed(watched) == {"public"}
    quietly_shut()                      # at once: perhaps within one tick of the file system's clock
    assert allowed(watched) == frozenset()


def test_size_and_time_alone_would_miss_it(file, quietly_shut, monkeypatch):
    """So that the test above can fail at all."""
    monkeypatch.setattr(watching, "_state", lambda path: path.stat().st_size)
    monkeypatch.setattr(watching, "_just_written", lambda state: False)
    watched = WatchedPermissions(Sources(file), Rules())
    assert allowed(watched) == {"public"}
    quietly_shut()
    assert allowed(watched) == {"public"}
