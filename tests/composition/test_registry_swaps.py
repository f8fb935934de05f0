"""Readers beside a writer never see parts of two sets."""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from learning_scene.registry_rows import FITTING, evaluator_row, names, promote, row
from model_fakes.fusion_models import engines_alone, everything, model_of
from sqlalchemy import update

from composition.model_registry.registry import Registry
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.engine.schema import model_pointers

Pair = tuple[str, str]


@pytest.fixture
def pairs(registry: Registry, ledger: Ledger) -> list[Pair]:
    """Two sets that are only ever in force whole; the registry looks at each call."""
    weights = (dict.fromkeys(engines_alone().terms, 1.0), {name: t.weight for name, t in everything().terms.items()})
    fusions = [promote(ledger, row(model_of(drawn, FITTING), "fusion")) for drawn in weights]
    made = list(zip(fusions, [promote(ledger, evaluator_row(lower)) for lower in (0.1, 0.12)], strict=True))
    registry.clock = iter(range(0, 10**9, 10)).__next__
    return made


def swap(ledger: Ledger, pair: Pair) -> None:
    """Both pointers move in one transaction."""
    with ledger.models._database.write() as connection:
        for kind, name in zip(("fusion", "evaluator"), pair, strict=True):
            connection.execute(update(model_pointers).where(model_pointers.c.kind == kind).values(model=name))


def read_beside_swaps(
    ledger: Ledger, pairs: list[Pair], read: Callable[[], Pair], enough: Callable[[Counter[Pair]], bool]
) -> Counter[Pair]:
    """What three threads read while the sets are swapped, until it is enough. Raises what a thread raises."""
    stop, found = threading.Event(), Counter[Pair]()

    def reads() -> None:
        while not stop.is_set():
            one = read()
            with noted:
                found[one] += 1

    noted, deadline = threading.Lock(), time.monotonic() + 20
    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(reads) for _ in range(3)]
        try:
            for pair in itertools.cycle(pairs):
                swap(ledger, pair)
                with noted:
                    if enough(found) or time.monotonic() > deadline or any(reader.done() for reader in readers):
                        break
        finally:
            stop.set()
    for reader in readers:
        reader.result()
    return found


def test_a_swap_in_the_middle_of_many_answers_mixes_no_set(
    registry: Registry, ledger: Ledger, pairs: list[Pair]
) -> None:
    """Readers beside a writer: each set is one that was in force, and its parts belong together."""
    found = read_beside_swaps(ledger, pairs, lambda: names(registry()),
                              lambda read: min(read[pair] for pair in pairs) >= 100)
    assert found.keys() == set(pairs), found
    swap(ledger, pairs[0])
    assert names(registry()) == pairs[0]


def test_planted_a_set_mixed_of_two_looks_is_seen(registry: Registry, ledger: Ledger, pairs: list[Pair]) -> None:
    def mixed() -> Pair:
        return registry().fusion.name, registry().judge().name

    found = read_beside_swaps(ledger, pairs, mixed, lambda read: bool(read.keys() - set(pairs)))
    assert found.keys() - set(pairs), found


def test_planted_pointers_read_one_after_the_other_are_seen(
    registry: Registry, ledger: Ledger, pairs: list[Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(ledger.models), "pointers", lambda store: {
        kind: store.pointer(kind) for kind in ("fusion", "evaluator")})
    found = read_beside_swaps(ledger, pairs, lambda: names(registry()),
                              lambda read: bool(read.keys() - set(pairs)))
    assert found.keys() - set(pairs), found


def test_what_a_reading_thread_raises_is_raised(ledger: Ledger, pairs: list[Pair]) -> None:
    def fails() -> Pair:
        raise RuntimeError("in a thread")

    with pytest.raises(RuntimeError, match="in a thread"):
        read_beside_swaps(ledger, pairs, fails, lambda read: False)
