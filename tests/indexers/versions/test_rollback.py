"""A rollback brings back texts and nothing else: no permission that was revoked, and never without its hold."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from faults.index.rollback_faults import disturbed_rollbacks
from faults.traced import MISSING
from machines.ledger_place import new_ledger
from running.soak_table import Figures
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors
from two_world.worlds import ANALYSER, DIRECTORY, NOW, SOURCE, make_record, publish

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from services.documents.versions import VersionService
from vouch.access import Label, Permissions, Rule, RuleBook
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
    return Permissions.settled(epoch, {SOURCE: RuleBook(tuple(Rule(path, tags[path]) for path in PLACES))}, DIRECTORY)


def seen_wrongly(home: Path, seed: int, planted: bool) -> Iterator[str]:
    """Random publishes, revocations, grants and rollbacks; after each, what the public sees against the plain rules."""
    rng = random.Random(seed)
    ledger = new_ledger(home / "ledger.sqlite")
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
            texts[store.rollback(to, allow_widening=True)] = texts[to]      # so that the rules alone decide
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


PUBLIC, PEOPLE, STAFF = (frozenset({tag}) for tag in ("public", "group:people", "group:staff"))
BOTH = PEOPLE | STAFF
HELD = Permissions.settled(1, {SOURCE: RuleBook((Rule("**", PUBLIC), Rule("hr/**", PEOPLE)))}, DIRECTORY)
Narrowed = frozenset[str] | None
State = dict[str, tuple[str, Narrowed]]         # path → words, narrowing


@pytest.fixture
def rolled(memory_folder: Path) -> Iterator[tuple[VersionService, Callable[[State], int]]]:
    """The history of an empty home, and what publishes a state of its source: moves are told by equal words."""
    ledger = new_ledger(memory_folder / "ledger.sqlite")
    store = IndexStore(memory_folder, ledger.versions, ANALYSER, 8.0)
    vectors = MemoryVectors(HashEncoder())
    before: State = {}

    def put(state: State) -> int:
        changed = [make_record(SOURCE, path, [("R", (words,))], narrowed) for path, (words, narrowed) in state.items()
                   if before.get(path) != (words, narrowed)]
        gone = [path for path in before if path not in state]
        before.clear()
        before.update(state)
        return publish(store, vectors, changed, removed=gone).version

    yield VersionService(memory_folder, ledger, store), put
    ledger.close()


REVOKED: list[tuple[str, State, State]] = [
    ("narrowed in place", {"a.md": ("x", BOTH)}, {"a.md": ("x", PEOPLE)}),
    ("narrowed otherwise", {"a.md": ("x", BOTH)}, {"a.md": ("x", frozenset({"group:other"}))}),
    ("moved to where fewer read", {"a.md": ("x", None)}, {"hr/a.md": ("x", None)}),
    ("moved, and something else came to its place", {"a.md": ("x", None)},
     {"hr/a.md": ("x", None), "a.md": ("y", None)}),
    ("moved, narrowed and written anew", {"a.md": ("x", None)}, {"b.md": ("z", PEOPLE)}),
    ("removed", {"a.md": ("x", None)}, {}),
    ("removed, and a document moved to its place", {"a.md": ("x", None), "b.md": ("y", None)}, {"a.md": ("y", None)}),
]
KEPT: list[tuple[str, State, State]] = [
    ("narrowed less", {"a.md": ("x", PEOPLE)}, {"a.md": ("x", BOTH)}),
    ("never narrowed any more", {"a.md": ("x", PEOPLE)}, {"a.md": ("x", None)}),
    ("written anew where it stood", {"a.md": ("x", None)}, {"a.md": ("y", None)}),
    ("moved to where as many read", {"a.md": ("x", None)}, {"b.md": ("x", None)}),
    ("moved out to where more read", {"hr/a.md": ("x", None)}, {"a.md": ("x", None)}),
    ("an open and a closed copy stay", {"a.md": ("x", None), "hr/a.md": ("x", None)},
     {"a.md": ("x", None), "hr/a.md": ("x", None), "b.md": ("y", None)}),
    ("the closed one of two copies goes", {"a.md": ("x", None), "hr/a.md": ("x", None)}, {"a.md": ("x", None)}),
]


@pytest.mark.parametrize(("then", "now"), [case[1:] for case in REVOKED], ids=[case[0] for case in REVOKED])
def test_a_rollback_that_would_take_back_a_revocation_is_refused(rolled: Any, then: State, now: State) -> None:
    history, put = rolled
    put({**then, "same.md": ("w", None)})
    put({**now, "same.md": ("w", None)})
    with pytest.raises(Guarded, match=rf"since version 1 .*: {SOURCE}:a\.md \(") as told:
        history.rollback(1, HELD)
    assert "--hide" in told.value.cure and history.hold() is None
    assert history.rollback(1, HELD, hide=True) == (3, [(SOURCE, "a.md")])
    assert (SOURCE, "a.md") in history.ledger.access.permissions().restrictions
    history.ledger.holds.release()
    assert history.rollback(1, HELD, allow_widening=True) == (4, [])
    assert history.ledger.access.permissions().restrictions == {}


@pytest.mark.parametrize(("then", "now"), [case[1:] for case in KEPT], ids=[case[0] for case in KEPT])
def test_a_rollback_that_takes_back_no_revocation_needs_no_word(rolled: Any, then: State, now: State) -> None:
    history, put = rolled
    put({**then, "same.md": ("w", None)})
    put({**now, "same.md": ("w", None)})
    assert history.rollback(1, HELD) == (3, []) and history.hold()["content_of"] == 1


def test_what_any_version_in_between_took_stays_taken(rolled: Any) -> None:
    history, put = rolled
    for narrowed in (None, PEOPLE, None):
        put({"a.md": ("x", narrowed)})
    with pytest.raises(Guarded):
        history.rollback(1, HELD)
    assert history.rollback(3, HELD) == (4, [])


def test_a_rollback_to_a_rollback_knows_how_old_its_content_is(rolled: Any) -> None:
    """Released or not: version 4 has the documents of version 1, before what version 2 took."""
    history, put = rolled
    for state in ({"a.md": ("x", None)}, {"hr/a.md": ("x", None)}, {"hr/a.md": ("y", None)}):
        put(state)
    history.rollback(1, HELD, hide=True)
    history.ledger.holds.release()
    history.rollback(3, HELD, hide=True)
    history.ledger.holds.release()
    with pytest.raises(Guarded, match=r"a\.md"):
        history.rollback(4, HELD)


def test_with_a_damaged_version_is_compared_and_not_with_what_stands_in_for_it(rolled: Any) -> None:
    history, put = rolled
    put({"a.md": ("x", None), "b.md": ("y", None)})
    new = put({"a.md": ("x", PEOPLE), "b.md": ("y", None)})
    part = history.store.manifest(new).parts[-1].id
    path = history.home / "parts" / part / "texts.bin"
    path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(Guarded, match=r": hall:a\.md \("):
        replace(history, store=IndexStore(history.home, history.ledger.versions, ANALYSER, 8.0)).rollback(1, HELD)
    (history.home / "versions" / str(new) / "manifest.json").write_bytes(b"{}")
    with pytest.raises(Guarded, match=r": hall:a\.md, hall:b\.md \("):
        history.rollback(1, HELD)


needs_strace = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@pytest.mark.slow
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


@pytest.mark.slow
@needs_strace
def test_a_hold_that_comes_after_the_pointer_is_found_out(memory_folder: Path) -> None:
    assert any(row.problem for row in disturbed_rollbacks(memory_folder, every=3, planted=True))


def test_who_may_read_a_new_place_reads_nothing_that_stood_at_the_old_one(rolled: Any) -> None:
    """Moved and rewritten in one step, while an unrelated text took its place: it looks like an edit in place."""
    history, put = rolled
    put({"hr/plan.md": ("zephyr was the plan", None)})
    put({"hr/plan.md": ("lunch is at noon", None), "open.md": ("mistral is all we tell", None)})
    limits = history.store.limits(1)
    label = HELD.label(SOURCE, "hr/plan.md", None, limits.get((SOURCE, "hr/plan.md"), ()))
    assert label.allows(PEOPLE) and not label.allows(PUBLIC)


@pytest.mark.parametrize("tags", [PUBLIC, PEOPLE, STAFF, BOTH, frozenset()])
def test_limits_only_take_away(tags: frozenset[str]) -> None:
    rng = random.Random(1)
    sets = [PUBLIC, PEOPLE, STAFF, BOTH, frozenset()]
    for _ in range(300):
        groups = tuple(tuple(Label(rng.choice(sets), rng.choice([None, *sets])) for _ in range(rng.randint(0, 2)))
                       for _ in range(rng.randint(0, 3)))
        plain = Label(rng.choice(sets), rng.choice([None, *sets]), frozenset(rng.sample(sets, rng.randint(0, 2))))
        assert plain.allows(tags) or not replace(plain, limits=groups).allows(tags)
