"""A source of a few pages, what everybody reads of it, and going back to what it was."""

import os
from datetime import UTC, datetime
from pathlib import Path

from homes.ingest_bench import Bench
from indexers.live_index import LiveIndex
from services.documents.versions import VersionService
from vouch.access import PUBLIC, Rule, RuleBook
from vouch.adapters.ledger import SourceRow
from vouch.errors import Damaged

NOW = datetime(2026, 11, 22, tzinfo=UTC)


class Company:
    def __init__(self, bench: Bench, root: Path) -> None:
        self.bench, self.root, self.clock = bench, root, 1_700_000_000
        root.mkdir()
        bench.folder("docs", root)
        bench.ledger.sources.add(SourceRow("docs", "folder", str(root)))
        self.write("other.md", "Another plan.")

    def write(self, name: str, text: str) -> None:
        self.clock += 10
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(f"# Plan\n\n{text}\n")
        os.utime(self.root / name, (self.clock, self.clock))

    def rules(self, tag: str, *of_the_board: str) -> None:
        rules = [Rule("**", frozenset({tag})), *(Rule(one, frozenset({"group:board"})) for one in of_the_board)]
        self.bench.ledger.access.set_rules("docs", RuleBook(tuple(rules)), f"{tag} {of_the_board}")

    def public_reads(self) -> set[str]:
        audience = self.bench.ledger.access.permissions().directory.audience([PUBLIC], NOW)
        index = LiveIndex(self.bench.components.store, self.bench.ledger.access, lambda: NOW)
        try:
            view = index.view(audience)
        except Damaged:
            return set()
        hits = view.lexical(["plan"], 99)
        return {p.text.strip() for p in view.passages([hit.chunk_id for hit in hits])}

    @property
    def history(self) -> VersionService:
        return VersionService(self.bench.home, self.bench.ledger, self.bench.components.store)

    def rollback(self, number: int, **way: bool) -> None:
        self.history.rollback(number, self.bench.ledger.access.permissions(), **way)

    def spoil(self, number: int) -> None:
        """A byte of what that version alone has."""
        manifest = self.bench.components.store.manifest(number)
        file = self.bench.home / "parts" / manifest.parts[-1].id / "texts.bin"
        data = file.read_bytes()
        file.chmod(0o600)
        file.write_bytes(bytes([data[0] ^ 1]) + data[1:])
