"""Ways in which files of an index go bad, and a home with sound versions whose every answer is known.

`Ruin.draw` picks what happens to which files of the current version; `Scene`
does it, opens the home as a new process would, and puts everything back.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, DIRECTORY, NOW, PERMISSIONS, SOURCE, Paper, World, publish

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from indexers.segments.hnsw import GraphParameters, GraphSearch
from vouch.documents.manifest import unseal
from vouch.errors import Damaged

PAGE = 4096
GRAPHS = GraphSearch(ef_search=40, exact_share=0)       # so that the graph's file is read, too
ASKED = (("public", "travel 5 budget"), ("user:ana@acme.test", "policy 17 approval"), ("user:bo@acme.test", "leave"))
Kind = Callable[[random.Random, bytes, bytes], bytes | None]       # (dice, file, older file of the same name) → file


def _truncated(dice: random.Random, data: bytes, _: bytes) -> bytes:
    return data[: dice.randrange(len(data))]


def _short_by_one(_: random.Random, data: bytes, __: bytes) -> bytes:
    return data[:-1]


def _longer(dice: random.Random, data: bytes, _: bytes) -> bytes:
    return data + dice.randbytes(dice.randint(1, PAGE))


def _one_bit(dice: random.Random, data: bytes, _: bytes) -> bytes:
    return _flipped(dice, data, 1)


def _some_bits(dice: random.Random, data: bytes, _: bytes) -> bytes:
    return _flipped(dice, data, dice.randint(2, 9))


def _zeroed(dice: random.Random, data: bytes, _: bytes) -> bytes:
    start = dice.randrange(len(data))
    end = min(len(data), start + dice.randint(1, PAGE))
    return data[:start] + bytes(end - start) + data[end:]


def _never_written(dice: random.Random, data: bytes, _: bytes) -> bytes:
    """Power was cut before the pages from some boundary on were written; the length was."""
    kept = PAGE * dice.randint(0, len(data) // PAGE)
    return data[:kept] + bytes(len(data) - kept)


def _swapped(dice: random.Random, data: bytes, _: bytes) -> bytes:
    block = dice.choice([1, 8, 64, 512, PAGE])
    blocks = [data[at : at + block] for at in range(0, len(data), block)]
    a, b = dice.randrange(len(blocks)), dice.randrange(len(blocks))
    blocks[a], blocks[b] = blocks[b], blocks[a]
    return b"".join(blocks)


def _emptied(_: random.Random, __: bytes, ___: bytes) -> bytes:
    return b""


def _removed(_: random.Random, __: bytes, ___: bytes) -> None:
    return None


def _older(_: random.Random, __: bytes, older: bytes) -> bytes:
    return older


def _older_padded(_: random.Random, data: bytes, older: bytes) -> bytes:
    """Another version's file, made as long as this one."""
    return older[: len(data)].ljust(len(data), b"\0")


TELL_WHO_MAY_READ = ("manifest.json", "documents.json", "chunk_serials.i8")
TELLS_OF_EDITED = "chunk_ids.u1"         # without it nobody knows what readers were shown of documents that changed
KINDS: tuple[Kind, ...] = (_truncated, _short_by_one, _longer, _one_bit, _some_bits, _zeroed, _never_written, _swapped,
                           _emptied, _removed, _older, _older_padded)


def _flipped(dice: random.Random, data: bytes, count: int) -> bytes:
    changed = bytearray(data)
    for _ in range(count):
        changed[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(changed)


@dataclass(frozen=True)
class Ruin:
    """What becomes of files: path → new content, None for a file that is gone."""

    kinds: tuple[str, ...]
    files: dict[Path, bytes | None]


@dataclass
class Scene:
    """Four versions; `truth` is what each of them answers while it is sound."""

    home: Path
    versions: MemoryVersions = field(default_factory=MemoryVersions)
    truth: dict[int, list[Any]] = field(default_factory=dict)
    files: dict[Path, bytes] = field(default_factory=dict)
    of_version: dict[int, list[Path]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        store = IndexStore(self.home, self.versions, ANALYSER, 8.0)
        vectors = MemoryVectors(HashEncoder())
        prints = store.fingerprints(HashEncoder.fingerprint, "by hand") | GraphParameters(4, 20).fingerprints
        store.fingerprints = lambda *_: prints  # type: ignore[method-assign]
        for number, batch in enumerate(([*range(150)], [*range(150, 190)], [*range(190, 205), 3, 151], [7, 205]), 1):
            publish(store, vectors, [_paper(n, number).record for n in batch], cursor=number)
            self.truth[number] = self.seen(self.reopened())
            manifest = store.manifest(number)
            self.of_version[number] = [
                self.home / "versions" / str(number) / "manifest.json",
                *(self.home / kind / entry.id / file.name
                  for kind, entries in (("segments", manifest.segments), ("parts", manifest.parts))
                  for entry in entries for file in entry.files),
            ]
        self.files = {path: path.read_bytes() for paths in self.of_version.values() for path in paths}

    @property
    def current(self) -> int:
        return max(self.truth)

    def reopened(self) -> World:
        """The home as a new process finds it."""
        store = IndexStore(self.home, self.versions, ANALYSER, 8.0)
        held = FixedPermissions(PERMISSIONS)
        return World(store, LiveIndex(store, held, lambda: NOW, graphs=GRAPHS), HashEncoder(), held)

    def seen(self, world: World) -> list[Any]:
        """Everything some readers see, and some whole documents, of the version that is served. Raises Damaged."""
        version = world.index.version()
        texts = [version.record(SOURCE, f"open/{n}.md") for n in (0, 3, 152, 204, 205)]
        return [[_found(world, *asked) for asked in ASKED], texts, version.manifest.cursors]

    def draw(self, dice: random.Random) -> Ruin:
        """Damage to one to three files of the current version, to all of the newest folders, or to parents as well."""
        paths = self._struck(dice)
        kinds = [dice.choice(KINDS) for _ in paths]
        if len(paths) > 3:                                  # one power cut, one way to go bad
            kinds = [_never_written] * len(paths)
        changed = {path: kind(dice, self.files[path], self._namesake(dice, path))
                   for path, kind in zip(paths, kinds, strict=True) if self.files[path]}
        return Ruin(tuple(kind.__name__.strip("_") for kind in kinds), changed)

    def _struck(self, dice: random.Random) -> list[Path]:
        number = self.current
        own = [path for path in self.of_version[number] if path not in self.of_version[number - 1]]
        match dice.randrange(8):
            case 0:
                return own
            case 1:
                return [path for n in (number, number - 1) for path in self.of_version[n][:1]]
            case 2:
                return dice.sample(own, 1) + dice.sample(self.of_version[number - 1], 1)
            case 3 | 4 | 5:
                return dice.sample(own, dice.randint(1, 3))
            case _:
                return dice.sample(self.of_version[number], dice.randint(1, 3))

    def _namesake(self, dice: random.Random, path: Path) -> bytes:
        others = sorted(p for p in self.files if p.name == path.name and p != path)
        return self.files[dice.choice(others)] if others else b"{}"

    @contextmanager
    def struck(self, ruin: Ruin, *, swapped_in: bool = False) -> Iterator[None]:
        """The damage is done, in place or by files put in place of others; afterwards every file is as it was."""
        put = _swap_in if swapped_in else Path.write_bytes
        try:
            for path, data in ruin.files.items():
                path.unlink() if data is None else put(path, data)
            yield
        finally:
            for path in ruin.files:
                put(path, self.files[path])

    def broken(self, ruin: Ruin, number: int) -> list[Path]:
        """Files of the version that are no longer what they were; the oracle, which knows all the bytes."""
        return [path for path in self.of_version[number] if path in ruin.files and not self._same(path, ruin)]

    def _same(self, path: Path, ruin: Ruin) -> bool:
        data = ruin.files[path]
        if data == self.files[path]:
            return True
        if data is None or path.name != "manifest.json":
            return False
        try:                                                # other white space is no damage
            return unseal(data, "") == unseal(self.files[path], "")
        except (Damaged, RecursionError):
            return False

    def expected(self, ruin: Ruin) -> int | None:
        """The version that must be served: the newest sound one; None without one, or if nobody knows who may read."""
        sound = next((n for n in sorted(self.truth, reverse=True) if not self.broken(ruin, n)), None)
        untold = any(path.name in TELL_WHO_MAY_READ for n in range((sound or 0) + 1, self.current + 1)
                     for path in self.broken(ruin, n))
        return None if untold else sound

    def hides(self, ruin: Ruin, served: int) -> bool:
        """Whether some documents of an earlier version may be hidden while it is served."""
        later = range(served + 1, self.current + 1)
        return any(path.name == TELLS_OF_EDITED for n in later for path in self.broken(ruin, n))


def _swap_in(path: Path, data: bytes) -> None:
    other = path.with_suffix(".other")
    other.write_bytes(data)
    other.replace(path)


def _found(world: World, reader: str, question: str) -> list[Any]:
    """Hits of both engines with exact scores, statistics, and the best passages with what stands around them."""
    view = world.index.view(DIRECTORY.audience([reader], NOW))
    terms = ANALYSER.terms(question)
    hits = [view.lexical(terms, 200), view.dense(world.encoder.questions([question])[0], 50)]
    best = [hit.chunk_id for engine in hits for hit in engine[:8]]
    scores = [[(hit.chunk_id, hit.score.hex()) for hit in engine] for engine in hits]
    return [scores, view.statistics(terms), view.passages(best), [view.around(one, 1, 1) for one in best[:4]]]


def _paper(number: int, version: int) -> Paper:
    folder = ("open", "open", "team", "people")[number % 4] if number not in (3, 7, 151) else "open"
    words = ("travel", "policy", "leave", "invoice", "badge")
    passages = tuple(f"{words[(number + n) % 5]} {number} budget approval {words[(number * n) % 5]}" for n in range(3))
    edited = (f"written anew in version {version}",) if version > 2 else ()
    return Paper(f"{folder}/{number}.md", (("Rules", passages + edited),))
