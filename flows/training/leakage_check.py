"""Two small worlds that differ only in documents a reader may not see, and what a model makes of each.

Whatever the reader finds, its scores must be the same numbers in both. The
documents are drawn words; they are read, cut, embedded, indexed and searched
by what serves people, in homes that are deleted afterwards.
"""

import itertools
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from flows.runs.run import ingest_direct
from flows.shared.components import IngestComponents
from indexers.live_index import LiveIndex
from vouch.access import PUBLIC, Directory, Permissions, Rule, RuleBook
from vouch.adapters.data_files.public import BeirDocument
from vouch.adapters.sources.corpus import CorpusSource
from vouch.ports.index import Fusion, View
from vouch.ports.models import Analyser, Encoder
from vouch.retrieval.fusion import fuse
from vouch.retrieval.hits import retrieve
from vouch.retrieval.question.query import form_query

_PREFIX, _LEFT = "worlds-", 3600        # seconds, after which nobody is at work on it
SOURCE, SEED, TOP = "worlds", 16, 50
OPEN, QUESTIONS = 12, 12                # documents and questions
HIDDEN = {"a": 6, "b": 14}              # documents, by world
SECRETS = {"a": ("qazolip", "qevurab", "qimodex"), "b": ("qonupaz", "qubiset", "qyratol")}
_SYLLABLES = ("ba", "de", "fi", "go", "lu", "ma", "ne", "ri", "so", "tu")
_RULES = (Rule("open-*", frozenset({PUBLIC})), Rule("hidden-*", frozenset({"group:board"})))
Scores = list[list[tuple[str, float]]]     # by question, of each candidate
Score = Callable[[View, Encoder, str], list[tuple[str, float]]]


@dataclass(frozen=True)
class TwoWorlds:
    """`build` makes what ingests into a folder."""

    build: Callable[[Path], IngestComponents]
    analyser: Analyser
    folder: Path                        # where their homes are made

    def differences(self, fusion: Fusion) -> tuple[int, int]:
        """How many fused scores differ, and how many were compared. One that stands in one world alone differs."""

        def fused(view: View, encoder: Encoder, text: str) -> list[tuple[str, float]]:
            query = form_query(text, self.analyser)
            found = fuse(view, query, retrieve(view, encoder, query, TOP), fusion)
            return [(c.chunk_id, c.fused_score) for c in found.candidates]

        return self.compare(fused)

    def compare(self, score: Score) -> tuple[int, int]:
        """The same for whatever else gives passages scores."""
        first, second = (self._scores(score, world) for world in HIDDEN)
        return sum(map(_different, first, second)), sum(map(len, first))

    def _scores(self, score: Score, world: str) -> Scores:
        with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=self.folder) as place:
            built = self.build(Path(place))
            components = replace(built, sources={SOURCE: CorpusSource(SOURCE, documents(world))})
            with closing(components.ledger), closing(components.vectors):
                ingest_direct(components, [SOURCE], done=lambda report: None)
                everybody = Directory().audience([PUBLIC], datetime.now(UTC))
                view = LiveIndex(components.store, _Open()).view(everybody)
                return [score(view, components.encoder(), text) for text in questions()]


def sweep_worlds(folder: Path, now: float) -> None:
    """Deletes what a killed check left; one that runs takes seconds."""
    for place in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if now - place.stat().st_mtime >= _LEFT:
                shutil.rmtree(place)


def _different(one: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]]) -> int:
    """Also where only the order is another."""
    return len(set(one) ^ set(other)) or int(one != other)


class _Open:
    def permissions(self) -> Permissions:
        return Permissions.settled(1, {SOURCE: RuleBook(_RULES)}, Directory())


def documents(world: str) -> Iterator[BeirDocument]:
    """The open ones are the same in every world; of the hidden ones there are other numbers, full of other words that
    questions ask for."""
    draw = random.Random(SEED)  # noqa: S311 - words, no secret
    words = _words(draw)
    yield from (_document(f"open-{n}", draw, words) for n in range(OPEN))
    others = random.Random(f"{SEED} {world}")  # noqa: S311
    known = [*SECRETS[world], *others.sample(words, 9)]
    yield from (_document(f"hidden-{n}", others, known) for n in range(HIDDEN[world]))


def questions() -> list[str]:
    """Each has a word that stands in no open document."""
    draw = random.Random(SEED)  # noqa: S311
    words, secrets = _words(draw), sorted(itertools.chain(*SECRETS.values()))
    starts = ("what", "how", "")
    return [
        " ".join(filter(None, (starts[n % 3], *draw.sample(words, 1 + n % 5), secrets[n % len(secrets)])))
        for n in range(QUESTIONS)
    ]


def _words(draw: random.Random) -> list[str]:
    plain = ["".join(draw.choices(_SYLLABLES, k=3)) for _ in range(40)]
    return plain + [f"{word[:2].upper()}-{draw.randrange(100, 999)}" for word in plain[:6]]


def _document(name: str, draw: random.Random, words: Sequence[str]) -> BeirDocument:
    parts = [f"## {' '.join(draw.choices(words, k=2))}\n\n{' '.join(draw.choices(words, k=30))}." for _ in range(2)]
    return BeirDocument(name, " ".join(draw.choices(words, k=3)), "\n\n".join(parts))
