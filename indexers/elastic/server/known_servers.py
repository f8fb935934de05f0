"""Where rows of a home were ever sent, so that no purge forgets a place that the settings no longer name."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from indexers.storage.durable import make_folder, replace_file


class KnownServers:
    """One small file for each, so that processes that use different ones lose nothing of one another's."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "lexical"

    def add(self, url: str, prefix: str) -> None:
        """To be called before rows are sent there."""
        if not (file := self._file(url, prefix)).exists():
            make_folder(self._folder)
            replace_file(file, json.dumps([url, prefix]).encode())

    def others(self, url: str, prefix: str) -> Iterator[str]:
        """In words, each place but this one, and what ends its being named."""
        for file in sorted(self._folder.glob("used.*.json")):
            if file != self._file(url, prefix):
                there, other = json.loads(file.read_bytes())
                yield (f"rows of this home were sent to the indices {other}-* of {there} before, and nobody was asked "
                       f"there: delete them, then {file}")

    def _file(self, url: str, prefix: str) -> Path:
        digest = hashlib.sha256(json.dumps([url, prefix]).encode()).hexdigest()
        return self._folder / f"used.{digest[:12]}.json"
