"""How many files, functions and moves from file to file a change, a question and a vote take; `python tests/walks.py`.

Counted by a hook on the calls of the running program, of this product's own code. What was done before once is warm:
imports and the bodies of classes are left out.
"""

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
TOPS = ("bots", "cli", "composition", "consumers", "flows", "indexers", "services", "vouch")
PAGE = "# Leave\n\nParents get {} weeks of paid leave. It is agreed with the team.\n"
QUESTION = "How many weeks of paid leave do parents get?"


@dataclass
class Walk:
    """`order` holds the file of each call, in the order of the calls."""

    files: set[str] = field(default_factory=set)
    functions: set[tuple[str, str]] = field(default_factory=set)
    moves: int = 0
    _last: dict[int, str] = field(default_factory=dict)

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_name.startswith("<") or not code.co_filename.startswith(f"{ROOT}/"):
            return
        name = code.co_filename.removeprefix(f"{ROOT}/")
        if name.split("/")[0] in TOPS:
            self.files.add(name)
            self.functions.add((name, code.co_qualname))
            thread = threading.get_ident()
            self.moves += self._last.get(thread) not in (None, name)
            self._last[thread] = name


@contextmanager
def walked() -> Iterator[Walk]:
    walk = Walk()
    threading.setprofile_all_threads(walk) if sys.version_info >= (3, 12) else threading.setprofile(walk)
    sys.setprofile(walk)
    try:
        yield walk
    finally:
        sys.setprofile(None)
        threading.setprofile_all_threads(None) if sys.version_info >= (3, 12) else threading.setprofile(None)


def walks(home: Path) -> dict[str, Walk]:
    """Of one changed document, one question and one vote, in a home with two documents."""
    os.environ["VOUCH_HOME"] = str(home)
    from flows.runs.runner import DirectRunner
    from flows.wiring.ingesting import build_components
    from services.wiring import answering
    from vouch.access import Directory, Person
    from vouch.adapters.ledger import SourceRow
    from vouch.settings import read_settings

    documents, rules = home.parent / "docs", home.parent / "rules.yaml"
    documents.mkdir()
    rules.write_text('rules:\n  - match: "**"\n    allow: [public]\n')
    (documents / "other.md").write_text("# Travel\n\nTrains are booked a week ahead.\n")
    ledger = build_components().ledger
    ledger.sources.add(SourceRow("docs", "folder", str(documents), str(rules)))
    ledger.access.set_directory(Directory({"ana": Person(())}))

    def ingest(weeks: int) -> None:
        (documents / "leave.md").write_text(PAGE.format(weeks))
        DirectRunner(build_components).ingest("docs", None, lambda: False)

    found = {"a changed document": _last_of(ingest, 3)}
    with closing(answering.open_ask_client(read_settings())) as client:
        ids: list[str] = []
        found["a question"] = _last_of(lambda n: ids.append(client.ask(QUESTION + "?" * n, ["public"])["id"]), 3)
        found["a vote"] = _last_of(lambda n: client.feedback(ids[n], "user:ana", "up", None), 2)
    return found


def _last_of(act: Callable[[int], Any], times: int) -> Walk:
    """What each of the last three goes through: on a busy machine one takes so long that loops beside it add theirs."""
    for number in range(times - 1):
        act(number)
    found = []
    for number in range(times - 1, times + 2):
        with walked() as walk:
            act(number)
        found.append(walk)
    return Walk(set.intersection(*(walk.files for walk in found)),
                set.intersection(*(walk.functions for walk in found)), min(walk.moves for walk in found))


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        print("| walk | files | functions | moves | packages |\n|---|--:|--:|--:|---|")
        for name, walk in walks(Path(place) / "home").items():
            tops = sorted({"/".join(file.split("/")[:2]) for file in walk.files})
            print(f"| {name} | {len(walk.files)} | {len(walk.functions)} | {walk.moves} | {', '.join(tops)} |")
            if "-v" in sys.argv:
                print("\n".join(sorted(walk.files)))


if __name__ == "__main__":
    main()
