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
    """`words` are one word for each text it ever had, the present one last."""

    words: tuple[str, ...]
    narrowed: Tags | None = None
    broken: bool = False

    def text(self) -> str:
        access = "{bad" if self.broken else None if self.narrowed is None else sorted(self.narrowed)
        front = "" if access is None else f"---\naccess: {access}\n---\n"
        return f"{front}# Rules\n\nThe travel word is {self.words[-1]} today.\n"


Disk = dict[str, dict[str, Doc]]
Way = tuple[Tags, Tags | None]                  # tags of the rules, and of the text
Formula = tuple[Way, ...]                       # one of them must be met


def met(formula: Formula, principals: Tags) -> bool:
    return any(not rules.isdisjoint(principals) and (own is None or not own.isdisjoint(principals))
               for rules, own in formula)


@dataclass
class Oracle:
    """`known` is the disk as ingests have found it; `taken` what each text had to meet since it was last granted."""

    known: Disk = field(default_factory=lambda: {source: {} for source in SOURCES})
    taken: dict[tuple[str, str], list[Formula]] = field(default_factory=dict)
    last: dict[tuple[str, str], list[Formula]] = field(default_factory=dict)    # of texts that stand nowhere any more
    forgiven: set[tuple[str, str]] = field(default_factory=set)         # an administrator has shown them again
    gone: set[str] = field(default_factory=set)                         # purged

    def formula(self, source: str, word: str, book) -> Formula:
        """By these rules, where the text is known to stand."""
        return tuple(
            (book.allowed(path), doc.narrowed) for path, doc in self.known[source].items()
            if word in doc.words and not doc.broken
        )

    def look(self, books) -> None:
        """Somebody could have asked now: whatever these rules refuse is taken."""
        for (source, word), formulas in self.taken.items():
            if not books[source].broken and (now := self.formula(source, word, books[source])) not in formulas:
                formulas.append(now)

    def scanned(self, source: str, disk: dict[str, Doc], books, only: set[str] | None = None) -> None:
        """An ingest found the source like that, or with `only` these paths of it; that grants."""
        before = self.known[source]
        paths = set(before) | set(disk) if only is None else only
        words = {word for path in paths for held in (before, disk) if path in held for word in held[path].words}
        for path in paths:
            before.pop(path, None)
            if path in disk:
                before[path] = disk[path]
        if only is None:
            words |= {word for there, word in self.taken if there == source}
        for word in words:
            self._found(source, word, () if books[source].broken else self.formula(source, word, books[source]))
            if only is None:
                self.forgiven.discard((source, word))

    def _found(self, source: str, word: str, now: Formula) -> None:
        """What stands there is granted; what was there before keeps what it had to meet when it last stood there."""
        if any(doc.words[-1] == word and not doc.broken for doc in self.known[source].values()):
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
