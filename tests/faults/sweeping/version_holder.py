"""Run by sweep_moves.py: another process that opens versions, keeps them open and looks into them.

    python tests/faults/sweeping/version_holder.py HOME   reads commands, one a line, and prints a line of JSON for each

open N, look N, close N. `open` and `look` print a digest of all documents and of a search.
"""

import hashlib
import json
import sys
from pathlib import Path

from two_world.stand_ins import FixedPermissions, HashEncoder
from two_world.worlds import ANALYSER, DIRECTORY, NOW, PERMISSIONS

from indexers.publishing.index_store import IndexStore, OpenVersion
from indexers.search.view import LiveView
from indexers.search.visibility import Visibility
from vouch.adapters.ledger import open_ledger
from vouch.errors import VouchError


def digest_of(version: OpenVersion) -> str:
    """Everything a reader finds in it."""
    rows = Visibility().rows(version, FixedPermissions(PERMISSIONS).permissions(), DIRECTORY.audience(["public"], NOW),
                             NOW)
    view = LiveView(version, 1, rows)
    vector = HashEncoder().questions(["travel budget"])[0]
    hits = [*view.lexical(["travel", "budget"], 100), *view.dense(vector, 100)]
    seen = [repr(version.record(*header.place)) for header in version.documents()]
    seen += [f"{hit.chunk_id} {hit.score.hex()}" for hit in hits]
    return hashlib.sha256("\n".join(seen).encode()).hexdigest()


def main(home: Path) -> None:
    store = IndexStore(home, open_ledger(home / "ledger.sqlite").versions, ANALYSER, 8.0)
    held: dict[int, OpenVersion] = {}
    for line in sys.stdin:
        word, _, number = line.strip().partition(" ")
        told: dict[str, str] = {}
        try:
            if word == "open":
                held[int(number)] = store.open(int(number))
                store._opener.forget()
            if word == "close":
                del held[int(number)]
            else:
                told["digest"] = digest_of(held[int(number)])
        except VouchError as error:
            told["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
