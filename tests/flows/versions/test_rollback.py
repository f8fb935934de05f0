"""A rollback holds every ingest until it is released; then exactly the differences come again."""

import json
import os
import random
from contextlib import nullcontext

import pytest
from homes.ingest_bench import Bench

from flows.ingesting.plan import plan_step
from flows.ingesting.step import Step
from flows.runs.run import carry_out
from flows.runs.runner import DirectRunner
from flows.shared.components import Session, given
from indexers.publishing.index_store import IndexStore
from indexers.versions.files import IndexFiles
from indexers.versions.version import OpenVersion
from vouch.errors import Guarded, Held, VouchError

WORDS = ["apples", "pears", "plums", "grapes", "figs", "dates"]


def text_of(rng):
    return "# Title\n\n" + "\n\n".join(f"## {w}\n\nThe {w} are {rng.randrange(99)}." for w in rng.sample(WORDS, 2))


@pytest.fixture
def rolled_back(bench, write, tmp_path):
    """Two versions, then the first one again."""
    write("a.md", "# Leave\n\nTen days.\n")
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    write("b.md", "# Travel\n\nBy train.\n")
    bench.ingest()
    assert bench.components.store.rollback(1) == 3
    return bench


def test_no_way_of_ingesting_goes_over_a_rollback(rolled_back):
    ways = [
        rolled_back.ingest,
        lambda: rolled_back.ingest(step=1),
        lambda: rolled_back.ingest(paths=["b.md"]),
        lambda: DirectRunner(lambda: rolled_back.components).ingest("docs", ["b.md"], lambda: False),
    ]
    for way in ways:
        with pytest.raises(Held, match=r"stopped since .* version 3 brought back the content of version 1") as told:
            way()
        assert isinstance(told.value, Guarded) and told.value.exit_code == 6
        assert "vouch versions release" in told.value.cure
    assert (rolled_back.ledger.versions.current(), set(rolled_back.known("docs"))) == (3, {"a.md"})
    rolled_back.ledger.holds.release()
    (report,) = rolled_back.ingest()
    assert (report.version, report.added, report.embedded) == (4, 1, 0)


def test_an_ingest_under_way_when_it_happens_does_not_publish(bench, write, tmp_path):
    write("a.md", "# Leave\n\nTen days.\n")
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    write("b.md", "# Travel\n\nBy train.\n")
    bench.ingest()
    write("c.md", "# Tools\n\nA hammer.\n")
    late = Step(bench.components, plan_step(bench.components, ["docs"]))    # planned on version 2
    for number, batch in enumerate(late.batches()):
        late.prepare_batch(number, batch)
    bench.components.store.rollback(1)
    for _ in range(2):                                                  # nor when it is tried again
        with pytest.raises(Held):
            late.publish()
    assert bench.ledger.versions.current() == 3 and set(bench.known("docs")) == {"a.md"}
    assert [row.state for row in bench.ledger.versions.rows()][3:] == ["abandoned"] * 2
    with pytest.raises(Held):
        carry_out(Step(bench.components, plan_step(bench.components, ["docs"])))
    bench.ledger.holds.release()
    (report,) = bench.ingest()
    assert report.added == 2 and set(bench.known("docs")) == {"a.md", "b.md", "c.md"}


class Sources:
    """A folder and a file of events that change at random, and what stands in them."""

    def __init__(self, place, rng):
        self.rng = rng
        self.folder, self.file = place / "docs", place / "events.jsonl"
        self.folder.mkdir()
        (self.folder / "always.md").write_text("# Here\n\nAn empty folder would look like one that is not mounted.\n")
        self.file.touch()
        self.events = set()
        self.clock = 1_700_000_000

    def change(self):
        for _ in range(self.rng.randint(1, 4)):
            path = self.folder / f"{self.rng.randrange(6)}.md"
            if path.exists() and self.rng.random() < 0.4:
                new = self.folder / f"{self.rng.randrange(6, 9)}.md"
                path.unlink() if self.rng.random() < 0.5 else path.rename(new)
            else:
                path.write_text(text_of(self.rng))
            self.clock += 10
            for file in self.folder.iterdir():
                os.utime(file, (self.clock, self.clock))
            self._event()

    def _event(self):
        path = f"{self.rng.randrange(5)}.md"
        row = {"op": "modify" if path in self.events else "add", "path": path, "commit": str(self.clock), "seq": 0}
        if path in self.events and self.rng.random() < 0.4:
            row["op"] = "delete"
            self.events.remove(path)
        else:
            row["text"] = text_of(self.rng)
            self.events.add(path)
        with self.file.open("a") as lines:
            lines.write(json.dumps(row) + "\n")

    def home(self, place):
        bench = Bench(place)
        bench.folder("docs", self.folder)
        bench.events("events", self.file)
        return bench


def everything(bench, number=None):
    """Every document of a version (default: the current one) with all that is known of it, moments aside."""
    store = bench.components.store
    version = store.open(number) if number else store.open_current()
    records = [version.record(*header.place) for header in version.documents()]
    return {(r.source, r.path): (r.hash, r.state, r.title, r.text, r.chunks, r.narrowed) for r in records}


def hashes(content):
    return {place: facts[0] for place, facts in content.items()}


def played(place, seed):
    """Problems of one random history with rollbacks; the oracle ingests from nothing."""
    rng = random.Random(seed)
    place.mkdir()
    sources = Sources(place, rng)
    bench = sources.home(place / "home")
    for _ in range(rng.randint(2, 4)):
        sources.change()
        bench.ingest(allow_removals=True)
    contents = {n: everything(bench, n) for n in range(1, bench.ledger.versions.current() + 1)}
    for _ in range(rng.randint(1, 2)):
        to = rng.choice(sorted(contents))
        new = bench.components.store.rollback(to)
        contents[new] = contents[to]
        if everything(bench) != contents[to]:
            yield f"the rollback to {to} brought back something else"
    if rng.random() < 0.7:
        sources.change()
    bench.ledger.holds.release()
    before = everything(bench)
    reports = bench.ingest(allow_removals=True, step=rng.choice((None, None, 1)))
    fresh = sources.home(place / "fresh")
    fresh.ingest(allow_removals=True)
    if everything(bench) != everything(fresh):
        yield "after the release the index differs from one made from nothing"
    wanted, held = hashes(everything(fresh)), hashes(before)
    expected = sum(wanted.get(p) != held.get(p) for p in {*wanted, *held})
    came = sum(r.added + r.changed + r.removed + 2 * r.renamed for r in reports)
    if len(reports) == 1 and came != expected:
        yield f"{came} places changed, {expected} differ"


def test_the_next_ingest_brings_exactly_the_differences(memory_folder):
    for seed in random.sample(range(10**6), 4):
        assert list(played(memory_folder / str(seed), seed)) == [], seed


@pytest.mark.soak
def test_the_next_ingest_brings_exactly_the_differences_for_long(memory_folder, figures):
    for seed in range(200):
        assert list(played(memory_folder / str(seed), seed)) == [], seed
    figures("random histories with rollbacks, release, ingest", "200", "0 differences from an index made from nothing")


@pytest.mark.parametrize("plant", ["cursors", "hashes"])
def test_the_oracle_finds_a_rollback_that_forgets(memory_folder, monkeypatch, plant):
    """Planted: the cursors, or the hashes, stay those of the version that was current before."""
    rollback, write, known = IndexStore.rollback, IndexFiles.write_manifest, OpenVersion.known
    stale = {}

    def keeps_cursors(self, to):
        cursors = self.open_current().manifest.cursors
        with monkeypatch.context() as patch:
            patch.setattr(IndexFiles, "write_manifest",
                          lambda files, manifest: write(files, manifest.model_copy(update={"cursors": cursors})))
            return rollback(self, to)

    def keeps_hashes(self, to):
        before = self.open_current()
        held = {source: known(before, source) for source in ("docs", "events")}
        number = rollback(self, to)
        stale[number] = held
        return number

    monkeypatch.setattr(IndexStore, "rollback", keeps_cursors if plant == "cursors" else keeps_hashes)
    monkeypatch.setattr(OpenVersion, "known", lambda v, s: stale[v.number][s] if v.number in stale else known(v, s))
    assert any(found_something(memory_folder / str(seed), seed) for seed in range(6))


def found_something(place, seed):
    try:
        return list(played(place, seed))
    except VouchError:
        return True


def test_a_scheduled_run_ends_completed_and_says_that_it_is_held(rolled_back, monkeypatch):
    """Against a real server: test_prefect_server.py."""
    import flows.deployed.ingest

    monkeypatch.setattr(flows.deployed.ingest, "one_run_per_source", lambda home, names: nullcontext())
    monkeypatch.setattr(flows.deployed.ingest, "build_components", lambda: rolled_back.components)
    state = flows.deployed.ingest.ingest.fn()
    assert state.is_completed() and state.name == "Held"
    assert "stopped since" in state.message and "vouch versions release" in state.message
    (row,) = state.result()
    assert row["held"] in state.message
    token = given.set(Session(rolled_back.components))
    with pytest.raises(Held):                               # a person is told by an error
        flows.deployed.ingest.ingest.fn()
    given.reset(token)
