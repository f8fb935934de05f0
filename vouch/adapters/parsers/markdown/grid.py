"""Rows of cells, as people fill them into sheets, become titles and tables."""

from collections.abc import Iterable, Iterator

from vouch.adapters.parsers.markdown.writer import MarkdownWriter


def write_grid(out: MarkdownWriter, rows: Iterable[list[str]]) -> None:
    """The first row with several words is the header of what follows.

    Words alone in a row, at the start or after an empty row, are a paragraph
    above the table; after them another header comes. Empty rows part nothing
    else, and empty columns in front are left out.
    """
    reader = _Reader(rows)
    while reader.held is not None:
        if len(_words(reader.held)) == 1:
            out.paragraph(_words(reader.held)[0])
            reader.next()
        else:
            out.table(reader.table())


class _Reader:
    """`held` is the row not taken yet, None at the end."""

    def __init__(self, rows: Iterable[list[str]]) -> None:
        self._rows = iter(rows)
        self._after_gap = True
        self.held: list[str] | None = None
        self.next()

    def next(self) -> None:
        self._after_gap, self.held = False, None
        for row in self._rows:
            if any(cell.strip() for cell in row):
                self.held = row
                return
            self._after_gap = True

    def table(self) -> Iterator[list[str]]:
        """Rows as wide as the header, until words alone after an empty row begin something else."""
        header = self.held or []
        first = next(n for n, cell in enumerate(header) if cell.strip())
        width = 1 + max(n for n, cell in enumerate(header) if cell.strip())
        while self.held is not None:
            row = self.held
            if self._after_gap and row is not header and len(_words(row)) == 1:
                return
            left = [cell for cell in row[:first] if cell.strip()]
            cells = row[first : max(width, _width(row))]
            if left:
                cells = [" ".join([*left, *cells[:1]]), *cells[1:]]
            yield cells + [""] * (width - first - len(cells))
            self.next()


def _words(row: list[str]) -> list[str]:
    return [cell for cell in row if cell.strip()]


def _width(row: list[str]) -> int:
    return 1 + max((n for n, cell in enumerate(row) if cell.strip()), default=-1)
