"""An oracle of what may be read that knows only the history of grants.

A text may be read by whoever it was granted to, by rules that were in force
over places where it truly stood, and from whom nothing has taken it since:
no edit of rules, no move, narrowing, deletion or damaged text that an ingest
found. Only an ingest that finds it where it may be read grants it again: what
is let in to a page is not let in to what the page said before.
"""

from dataclasses import dataclass, field

SOURCES = ("hall", "desk")
Tags = frozenset[str]


@dataclass(frozen=True)
class Doc:
    """`words` are one word for each text its first passage ever had, the present one last.

    `more` are the words of its other passages, `cleared` of those it once had.
    `name` stays with it through edits and moves; `origin` is what it was copied from.
    """

    words: tuple[str, ...]
    narrowed: Tags | None = None
    broken: bool = False
    more: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()
    name: str = ""
    origin: str = ""

    @property
    def standing(self) -> tuple[str, ...]:
        return (self.words[-1], *self.more)

    @property
    def ever(self) -> tuple[str, ...]:
        return (*self.words, *self.more, *self.cleared)

    def text(self) -> str:
        access = "{bad" if self.broken else None if self.narrowed is None else sorted(self.narrowed)
        front = "" if access is None else f"---\naccess: {access}\n---\n"
        return f"{front}# Rules\n\n" + "\n".join(f"## On it\n\nThe travel word is {w} today.\n" for w in self.standing)


Disk = dict[str, dict[str, Doc]]
Way = tuple[Tags, Tags | None]                  # tags of the rules, and of the text
Formula = tuple[tuple[Way, ...], ...]           # all ways of one of them must be met


def met(formula: Formula, principals: Tags) -> bool:
    return any(all(_met(way, principals) for way in ways) for ways in formula)


def _met(way: Way, principals: Tags) -> bool:
    rules, own = way
    return not rules.isdisjoint(principals) and (own is None or not own.isdisjoint(principals))


@dataclass
class Oracle:
    """`known` is the disk as ingests have found it; `taken` what each text had to meet since it was last granted."""

    known: Disk = field(default_factory=lambda: {source: {} for source in SOURCES})
    taken: dict[tuple[str, str], list[Formula]] = field(default_factory=dict)
    last: dict[tuple[str, str], list[Formula]] = field(default_factory=dict)    # of texts that stand nowhere any more
    page: dict[tuple[str, str, str], tuple[Way, ...]] = field(default_factory=dict)   # as `_note` says
    forgiven: set[tuple[str, str]] = field(default_factory=set)         # an administrator has shown them again
    gone: set[str] = field(default_factory=set)                         # purged

    def formula(self, source: str, word: str, book) -> Formula:
        """By these rules, where the text is known to stand; a page cleared of it counts as what it was as well."""
        found = []
        stands = self.stands(source, word)
        for path, doc in self.known[source].items():
            if word in doc.ever and not doc.broken:
                before = self.page.get((source, doc.name, word)) or self.page.get((source, doc.origin, word), ())
                cleared = stands and word not in doc.standing
                found.append(((book.allowed(path), doc.narrowed), *(before if cleared else ())))
        return tuple(found)

    def stands(self, source: str, word: str) -> bool:
        return any(word in doc.standing and not doc.broken for doc in self.known[source].values())

    def _note(self, source: str, book, *, anew: bool) -> None:
        """What each page with the text had to meet since it was last found there."""
        for path, doc in self.known[source].items():
            for word in doc.standing if not doc.broken else ():
                key, way = (source, doc.name, word), (book.allowed(path), doc.narrowed)
                if not book.broken:
                    self.page[key] = (way,) if anew else tuple(dict.fromkeys((*self.page.get(key, ()), way)))

    def look(self, books) -> None:
        """Somebody could have asked now: whatever these rules refuse is taken."""
        for source in SOURCES:
            self._note(source, books[source], anew=False)
        for (source, word), formulas in self.taken.items():
            if not books[source].broken and (now := self.formula(source, word, books[source])) not in formulas:
                formulas.append(now)

    def scanned(self, source: str, disk: dict[str, Doc], books, only: set[str] | None = None) -> None:
        """An ingest found the source like that, or with `only` these paths of it; that grants."""
        before = self.known[source]
        paths = set(before) | set(disk) if only is None else only
        words = {word for path in paths for held in (before, disk) if path in held for word in held[path].ever}
        for path in paths:
            before.pop(path, None)
            if path in disk:
                before[path] = disk[path]
        self._note(source, books[source], anew=only is None)
        if only is None:
            words |= {word for there, word in self.taken if there == source}
        for word in words:
            self._found(source, word, () if books[source].broken else self.formula(source, word, books[source]))
            if only is None:
                self.forgiven.discard((source, word))

    def _found(self, source: str, word: str, now: Formula) -> None:
        """What stands there is granted; what was there before keeps what it had to meet when it last stood there."""
        if self.stands(source, word):
            self.last.pop((source, word), None)
            self.taken[source, word] = [now]
        else:
            last = self.last.setdefault((source, word), self.taken.get((source, word), [()]))
            self.taken[source, word] = [*last, now]

    def allows(self, source: str, word: str, principals: Tags) -> bool:
        if word in self.gone:
            return False
        formulas = self.taken.get((source, word), [()])
        return (source, word) in self.forgiven or all(met(formula, principals) for formula in formulas)
