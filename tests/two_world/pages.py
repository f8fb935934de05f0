"""Documents of a pair of worlds as they are written into a folder."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

_WORDS = """budget travel leave salary merger badge laptop policy approval deadline vendor invoice launch lawyer
2026"""
WORDS = _WORDS.split()
Tags = frozenset[str]


@dataclass(frozen=True)
class Page:
    """`mark` is a word of its own in each passage, which copies share; `first` stays through all edits."""

    mark: str
    first: str
    others: tuple[str, ...] = ()
    narrowed: Tags | None = None
    broken: bool = False
    rows: int = 0                       # further passages, to make it large

    def text(self) -> str:
        access = "{bad" if self.broken else None if self.narrowed is None else sorted(self.narrowed)
        front = "" if access is None else f"---\naccess: {access}\n---\n"
        more = tuple(f"The {self.mark} travel of {number}." for number in range(self.rows))
        parts = (f"# Rules\n\n{self.first}\n", *(f"## Part\n\n{text}\n" for text in (*self.others, *more)))
        return front + "\n".join(parts)

    @property
    def plain(self) -> "Page":
        return replace(self, narrowed=None, broken=False)


Shelf = Mapping[str, Mapping[str, Page]]        # of each source, by path


def drawn(rng: Random, mark: str, rows: int = 0) -> Page:
    return Page(mark, sentence(rng, mark), tuple(sentence(rng, mark) for _ in range(rng.randint(0, 2))), rows=rows)


def edited(rng: Random, page: Page) -> Page:
    return replace(page, others=tuple(sentence(rng, page.mark) for _ in range(rng.randint(0, 3))), broken=False)


def sentence(rng: Random, mark: str) -> str:
    words = [rng.choice(WORDS) for _ in range(rng.randint(2, 9))]
    return f"The {mark} {' '.join(words)} is {rng.randint(1, 99)} days."


def all_of(shelf: Shelf) -> Iterator[tuple[str, str, Page]]:
    return ((source, path, page) for source, pages in sorted(shelf.items()) for path, page in sorted(pages.items()))
