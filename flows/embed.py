"""Embeds what no run has embedded before. Each finished batch is kept, so a killed run repeats nothing."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from flows.machines import Machines
from indexers.assign import model_inputs
from indexers.keys import input_key
from vouch.documents.document import DocumentRecord

BATCH = 512                             # texts: some sixteen passes, of which only the last is not full


def inputs(records: Iterable[DocumentRecord]) -> dict[bytes, str]:
    """Key → exact encoder input of every chunk, equal inputs once."""
    found: dict[bytes, str] = {}
    for record in records:
        for text in model_inputs(record):
            found.setdefault(input_key(text), text)
    return found


def embed_missing(
    machines: Machines, records: Iterable[DocumentRecord], progress: Callable[[int, int], None]
) -> int:
    """How many inputs were embedded now; afterwards the cache holds a vector for every chunk of `records`."""
    wanted = inputs(records)
    missing = machines.vectors.missing(list(wanted))
    # Texts of about equal length share a form of pass, so that little of it is padding.
    ordered = sorted(missing, key=lambda key: (len(wanted[key]), key))
    progress(0, len(ordered))
    done = 0
    for keys in _batches(ordered):
        machines.vectors.put(keys, machines.encoder().passages([wanted[key] for key in keys]))
        done += len(keys)
        progress(done, len(ordered))
    return done


def _batches(keys: list[bytes]) -> Iterator[list[bytes]]:
    rest = iter(keys)
    while batch := list(islice(rest, BATCH)):
        yield batch
