"""What the first search and all further steps found, in one order; and what each step added to it."""

from collections.abc import Iterator, Sequence
from itertools import chain

from vouch.correction.planning.order import RagArgs
from vouch.correction.steps.memory import Memory
from vouch.values.candidate import Candidate


def likeliest(found: Sequence[Candidate]) -> list[Candidate]:
    """What the verdict on a step was made from."""
    return sorted(found, key=lambda one: one.probability or 0.0, reverse=True)[:1]


def in_turn(lists: Sequence[Sequence[Candidate]], places: int = 0) -> list[Candidate]:
    """Of each list in turn the best that none before it gave, so that each step has a place; then the first `places`
    of the first, and then what all gave, in turn.

    A passage once, with the highest of its probabilities.
    """
    best: dict[str, Candidate] = {}
    for one in chain.from_iterable(lists):
        known = best.get(one.chunk_id)
        if known is None or (one.probability or 0.0) > (known.probability or 0.0):
            best[one.chunk_id] = one
    taken: dict[str, Candidate] = {}
    left = [iter(found) for found in lists]

    def take(found: Iterator[Candidate]) -> None:
        new = next((one.chunk_id for one in found if one.chunk_id not in taken), None)
        if new is not None:
            taken[new] = best[new]

    for found in left:
        take(found)
    for one in lists[0][:places] if lists else ():
        taken.setdefault(one.chunk_id, best[one.chunk_id])
    while len(taken) < len(best):
        for found in left:
            take(found)
    return list(taken.values())


def brought(memory: Memory, question: str) -> dict[str, str]:
    """What each step found first that none before it did, with the words it was searched for by."""
    taken = {one.chunk_id for one in memory.lists[0][:1]}
    found: dict[str, str] = {}
    done = (step for step in memory.steps if not step.error)
    for step, hits in zip(done, memory.lists[1:], strict=True):
        new = next((one.chunk_id for one in hits if one.chunk_id not in taken), None)
        if new is not None:
            taken.add(new)
            found[new] = step.args.query if isinstance(step.args, RagArgs) else question
    return found
