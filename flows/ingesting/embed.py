"""Embeds what no run has embedded before. Each finished batch is kept, so a killed run repeats nothing."""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice

from flows.shared.components import IngestComponents
from indexers.building.row_reuse import model_inputs
from indexers.storage.keys import input_key
from vouch.documents.document import DocumentRecord

BATCH = 512                             # texts: some sixteen passes, of which only the last is not full


def inputs(records: Iterable[DocumentRecord]) -> dict[bytes, str]:
    """Key → exact encoder input of every chunk, equal inputs once."""
    found: dict[bytes, str] = {}
    for record in records:
        for text in model_inputs(record):
            found.setdefault(input_key(text), text)
    return found


def missing_inputs(
    components: IngestComponents, records: Iterable[DocumentRecord], coming: Collection[bytes] = ()
) -> Iterator[tuple[list[bytes], list[str]]]:
    """Batches of (keys, texts) for which the cache holds no vector and none is `coming`."""
    wanted = inputs(records)
    missing = [key for key in components.vectors.missing(list(wanted)) if key not in coming]
    # Texts of about equal length share a form of pass, so that little of it is padding.
    rest = iter(sorted(missing, key=lambda key: (len(wanted[key]), key)))
    while keys := list(islice(rest, BATCH)):
        yield keys, [wanted[key] for key in keys]


def embed_missing(
    components: IngestComponents, records: Iterable[DocumentRecord], progress: Callable[[int, int], None]
) -> int:
    """How many inputs were embedded now; afterwards the cache holds a vector for every chunk of `records`."""
    batches = list(missing_inputs(components, records))
    total = sum(len(keys) for keys, _ in batches)
    progress(0, total)
    done = 0
    for keys, texts in batches:
        components.vectors.put(keys, components.encoder().passages(texts))
        done += len(keys)
        progress(done, total)
    return done
