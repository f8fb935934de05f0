"""Which documents that a reader may read come nearest to a meaning."""

from dataclasses import dataclass

from vouch.ports.encoder import Vector
from vouch.ports.index import View

_PASSAGES = 20                          # looked at for a few documents


@dataclass(frozen=True, slots=True)
class Document:
    source: str
    path: str
    title: str


def nearest_documents(view: View, meaning: Vector, most: int = 3) -> list[Document]:
    """By their nearest passage, the nearest first. `view` decides which there are: it is that of who is told."""
    hits = view.dense(meaning, _PASSAGES)
    passages = view.passages([hit.chunk_id for hit in hits])
    return list(dict.fromkeys(Document(one.source, one.path, one.title) for one in passages))[:most]
