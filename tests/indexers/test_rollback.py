"""A rollback brings back texts and nothing else: no permission that was revoked, and never without its hold."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.rollback_faults import disturbed_rollbacks
from faults.traced import MISSING
from soak_table import Figures
from two_world.machines import FixedPermissions, HashEncoder, MemoryVectors
from two_world.worlds import ANALYSER, DIRECTORY, NOW, SOURCE, make_record, publish

from cli.history import History
from indexers.publish import IndexStore
from indexers.reader import LiveIndex
from vouch.access import Permissions, Rule, RuleBook
from vouch.adapters.ledger import open_ledger
from vouch.errors import Guarded

PLACES = tuple(f"{n}.md" for n in range(4))


class VersionedLabels(FixedPermissions):
    """Planted: who may read is taken from the time when the content was published."""

    def __init__(self, held: Permissions, store: IndexStore) -> None:
        super().__init__(held)
        self._store = store
        self._then: dict[tuple[object, ...], Permissions] = {}

    def permissions(self) -> Permissions:
        version = self._store.open_current()
        assert version is not None
        return self._then.setdefault(version.manifest.parts, self.held)


def allowed(rng: random.Random) -> dict[str, bool]:
    return {path: rng.random() < 0.5 for path in PLACES}


def rules(epoch: int, public: dict[str, bool]) -> Permissions:
    tags = {path: frozenset({"public"} if there else {"group:people"}) for path, there in public.items()}
    return Permissions(epoch, {SOURCE: RuleBook(tuple(Rule(path, tags[path]) for path in PLACES))}, DIRECTORY)


def seen_wrongly(home: Path, seed: int, planted: bool) -> Iterator[str]:
    """Random publishes, revocations, grants and rollbacks; after each, what the public sees against the plain rules."""
    rng = random.Random(seed)
    ledger = open_ledger(home / "ledger.sqlite")
    store = IndexStore(home, ledger.versions, ANALYSER, 8.0)
    vectors = MemoryVectors(HashEncoder())
    public = allowed(rng)
    held = VersionedLabels(rules(1, public), store) if planted else FixedPermissions(rules(1, public))
    index = LiveIndex(store, held, lambda: NOW)
    texts: dict[int, dict[str, str]] = {0: {}}
    for move in range(25):
        kind = rng.choice(("publish", "publish", "rules", "rollback")) if move else "publish"
        current = ledger.versions.current() or 0
        if kind == "publish":
            path, text = rng.choice(PLACES), f"travel {rng.randrange(10**6)}"
            done = publish(store, vectors, [make_record(SOURCE, path, [("Rules", (text,))])])
            texts[done.version] = {**texts[current], path: text}
        elif kind == "rules":
            public = allowed(rng)
            held.held = rules(move + 1, public)
        else:
            to = rng.choice(sorted(texts)[1:])
            texts[store.rollback(to)] = texts[to]
            ledger.holds.release()
        view = index.view(DIRECTORY.audience(["public"], NOW))
        hits = view.lexical(["travel"], 99) + view.dense(HashEncoder().questions(["travel"])[0], 99)
        seen = {(p.path, p.text) for p in view.passages([hit.chunk_id for hit in hits])}
        wanted = {(path, text) for path, text in texts[ledger.versions.current() or 0].items() if public[path]}
        if seen != wanted:
            yield f"after move {move} ({kind}): {seen} instead of {wanted}"
    ledger.close()


@pytest.mark.usefixtures("quick_disk")
def test_who_may_read_is_never_rolled_back(memory_folder: Path) -> None:
    for seed in random.sample(range(10**6), 4):
        home = memory_folder / str(seed)
        home.mkdir()
        assert list(seen_wrongly(home, seed, planted=False)) == [], seed


@pytest.mark.usefixtures("quick_disk")
def test_labels_that_are_versioned_are_found_out(memory_folder: Path) -> None:
    assert list(seen_wrongly(memory_folder, 5, planted=True))


def test_a_rollback_that_would_undo_a_narrowing_is_refused_unless_allowed(memory_folder: Path) -> None:
    ledger = open_ledger(memory_folder / "ledger.sqlite")
    store = IndexStore(memory_folder, ledger.versions, ANALYSER, 8.0)
    vectors = MemoryVectors(HashEncoder())

    def put(**narrowed: frozenset[str] | None) -> None:
        publish(store, vectors, [make_record(SOURCE, f"{p}.md", [("R", ("x",))], n) for p, n in narrowed.items()])

    people, staff = frozenset({"group:people"}), frozenset({"group:people", "group:staff"})
    put(a=None, b=staff, c=people, d=None)
    put(a=None, b=people, c=staff)
    history = History(memory_folder, ledger, store)
    with pytest.raises(Guarded, match=r"narrowed .* since version 1: hall:b\.md \(") as told:
        history.rollback(1)
    assert "--allow-widening" in told.value.cure and ledger.holds.current() is None
    assert history.rollback(2) == 3
    put_back = history.rollback(1, allow_widening=True)
    assert ledger.versions.current() == put_back and history.hold()["content_of"] == 1
    ledger.close()


needs_strace = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@needs_strace
def test_killed_at_some_operations_a_rollback_is_in_force_with_its_hold_or_not_at_all(memory_folder: Path) -> None:
    rows = disturbed_rollbacks(memory_folder, every=5)
    print(f"\nrollback: {len(rows)} operations hit")
    assert [row for row in rows if row.problem] == [] and {row.happened for row in rows} == {False, True}


@needs_strace
@pytest.mark.soak
def test_killed_at_any_operation_a_rollback_is_in_force_with_its_hold_or_not_at_all(
    memory_folder: Path, figures: Figures
) -> None:
    rows = disturbed_rollbacks(memory_folder, every=1)
    figures("a rollback killed at each of its file operations", f"{len(rows)} operations",
            f"{sum(bool(row.problem) for row in rows)} with pointer and hold apart")
    assert [row for row in rows if row.problem] == [] and {row.happened for row in rows} == {False, True}


@needs_strace
def test_a_hold_that_comes_after_the_pointer_is_found_out(memory_folder: Path) -> None:
    assert any(row.problem for row in disturbed_rollbacks(memory_folder, every=3, planted=True))
