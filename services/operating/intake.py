"""What brings documents in from outside the command line: that they changed is announced, and new ones are uploaded."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from services.documents.access_report import AccessReport, ToCome, told_readers
from services.documents.announcing import Announcer, told
from services.operating.operators import Announcers, NotedActs, Operators
from vouch.adapters.ledger import Ledger, SourceRow
from vouch.adapters.sources.folder.patterns import Selection
from vouch.adapters.sources.folder.receiving import check_place, receive
from vouch.adapters.sources.kinds import kind_of
from vouch.documents.formats import SUFFIXES
from vouch.errors import BadInput, Denied, NotFound, Unavailable, Usage, VouchError
from vouch.messages import DocumentsChanged

_SHOWN_RULES = 200


@dataclass(frozen=True)
class IntakeService:
    """`announcers` may say that documents changed, as operators may. `place` names the source that takes uploads,
    empty for none; `report` tells the permissions in force."""

    ledger: Ledger
    announcer: Announcer
    noted: NotedActs
    operators: Operators
    announcers: Announcers
    report: Callable[[], AccessReport]
    place: str
    most_bytes: int

    def changed(self, source: str, paths: Sequence[str] | None, by: str) -> DocumentsChanged:
        """The message as the log has it. Raises BadInput for paths that are none.

        Raises the same Denied for a source that is not there and for somebody who may not: names of sources are not
        told.
        """
        refused = Denied("there is no such source, or you may not say that it changed",
                         cure="VOUCH_HTTP__ANNOUNCERS names who may, besides operators")
        if not (self.operators.is_one(by) or self.announcers.is_one(by)):
            raise refused
        try:
            self.check(source)
        except NotFound:
            raise refused from None
        return self.look_again(source, paths, by)

    def check(self, source: str) -> None:
        """Raises NotFound for a source that is not there."""
        self.ledger.sources.get(source)

    def look_again(self, source: str, paths: Sequence[str] | None, by: str) -> DocumentsChanged:
        """The same for an operator: a source that is not there raises NotFound."""
        if not all(map(_is_below, paths or ())):
            raise BadInput("a path does not name a document or folder of the source",
                           cure="name documents as the list of documents shows them")
        self.check(source)
        with self.noted(by, f"looking again at {source}: {told(paths)}"):
            return self.announcer.announce(source, paths)

    def upload_place(self) -> dict[str, Any]:
        """Where uploads go, how large they may be, what is read, and who reads what there. Raises NotFound for none."""
        row = self._source()
        book = self.report().permissions.rulebooks.get(row.name)
        rules = [{"match": rule.match, "allow": ", ".join(sorted(rule.allow)) or "nobody"}
                 for rule in (book.rules if book else ())][:_SHOWN_RULES]
        return {"source": row.name, "most_bytes": self.most_bytes, "suffixes": sorted(SUFFIXES), "rules": rules}

    def upload(self, path: str, data: bytes, by: str, *, replace: bool) -> dict[str, Any]:
        """The document is in the folder of the source and is announced; who may read it by the rules.

        Raises BadInput for a path or size that cannot be, Conflict if something is there already, Unavailable.
        """
        row = self._source()
        check_place(path, Selection(row.include, row.exclude))
        if not data:
            raise BadInput("the file is empty", cure="choose a file with something in it")
        if len(data) > self.most_bytes:
            raise BadInput(f"a document has at most {self.most_bytes:,} bytes", cure="split it")
        if self._are_rules(Path(row.path, path)):
            raise BadInput("rules of access are not uploaded", cure="choose another path")
        with self.noted(by, f"upload of {row.name}:{path}" + (", replacing what is there" if replace else "")):
            replaced = receive(Path(row.path), path, data, replace=replace)
            self._announce(row.name, path)
        return {"source": row.name, "path": path, "replaced": replaced, **self.readers_of(row.name, path)}

    def readers_of(self, source: str, path: str) -> dict[str, Any]:
        """Who may read what is at this path, as far as the rules say; a document can narrow that and never widen it."""
        found = self.report().effective(ToCome(source, path))
        return {"readers": told_readers(found), "nobody": not found["effective"]}

    def _announce(self, source: str, path: str) -> None:
        try:
            self.announcer.announce(source, [path])
        except VouchError as error:
            raise Unavailable(f"{path} is in its folder, and could not be announced: {error.cause}",
                              cure=f"look again at {source} once the log answers") from error

    def _are_rules(self, place: Path) -> bool:
        """Of any source, however their path is spelled: an access file may be named as a document is."""
        files = (row.access_path for row in self.ledger.sources.list())
        return place.resolve() in {Path(file).resolve() for file in files if file}

    def _source(self) -> SourceRow:
        if not self.place:
            raise NotFound("no source takes uploads", cure="VOUCH_HTTP__UPLOADS names one of kind folder")
        row = self.ledger.sources.get(self.place)
        if kind_of(row).files is None:
            raise Usage(f"{row.name} is a source of kind {row.kind}, and takes no uploads",
                        cure="VOUCH_HTTP__UPLOADS names one of kind folder")
        return row


def _is_below(path: str) -> bool:
    """Whether it names something below a folder. What is wrong with others is not told by where that folder is."""
    parts = PurePosixPath(path).parts
    return bool(parts) and "\0" not in path and ".." not in parts and not path.startswith("/")
