"""Ways by which something earlier could be shown again, each in the few steps it takes."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from homes.living_home import NOW, LivingHome, damaged

from vouch.access import PUBLIC
from vouch.adapters.ledger import SourceRow
from vouch.errors import Guarded

pytestmark = pytest.mark.usefixtures("quick_disk")


@dataclass
class Text:
    body: str

    def text(self) -> str:
        return self.body


def page(*words: str, title: str = "") -> Any:
    front = f"---\ntitle: {title}\n---\n" if title else ""
    return Text(front + "# Rules\n\n" + "\n".join(f"## On it\n\nThe travel word is {w} today.\n" for w in words))


@pytest.fixture
def home(memory_folder: Path) -> LivingHome:
    made = LivingHome(memory_folder, ("hall",))
    made.put_rules("hall", [("**", [PUBLIC])])
    for n in range(3):
        made.put("hall", f"other/{n}.md", page(f"filler{n}"))
    return made


def seen(home: LivingHome) -> str:
    """All that the public reads."""
    view = home.opened().view(home.watched.permissions().directory.audience((PUBLIC,), NOW))
    passages = view.passages([hit.chunk_id for hit in view.lexical(["travel"], 99)])
    return "\n".join(f"{passage.path} {passage.title} {passage.text}" for passage in passages)


def damage(home: LivingHome) -> None:
    """Of the current version, in a file that the first one does not have."""
    old = {entry.id for entry in home.store.manifest(1).segments}
    new = next(entry for entry in home.store.manifest(home.current).segments if entry.id not in old)
    damaged(home.bench.home / "segments" / new.id / new.files[0].name)


# Readers are shown more of a passage than its models read.
CLEARED = {
    "link": (page("[list](https://hr.example/?token=SECRET)"), page("[list](https://hr.example/public)")),
    "tag": (page('<span title="SECRET">list</span>'), page("list")),
    "title": (page("list", title="Firing SECRET"), page("list", title="List")),
}


@pytest.fixture(params=CLEARED)
def cleared(request: pytest.FixtureRequest, home: LivingHome) -> tuple[LivingHome, int]:
    """A page nobody could read was cleared of what its models do not read, and opened; and the version before."""
    full, clean = CLEARED[request.param]
    home.put_rules("hall", [("**", [PUBLIC]), ("p/**", [])])
    home.put("hall", "p/page.md", full)
    home.ingest(["hall"])
    before = home.current
    home.put("hall", "p/page.md", clean)
    home.put("hall", "other/3.md", page("filler3"))
    home.put_rules("hall", [("**", [PUBLIC])])
    home.ingest(["hall"])
    assert "list" in seen(home)
    return home, before


def test_what_only_readers_are_shown_is_cleared_too(cleared: tuple[LivingHome, int]) -> None:
    home, before = cleared
    with pytest.raises(Guarded, match=r"p/page\.md"):
        home.rollback(before)
    home.rollback(before, hide=True)
    assert "SECRET" not in seen(home)


def test_nor_is_it_shown_in_place_of_a_damaged_version(cleared: tuple[LivingHome, int]) -> None:
    home, _ = cleared
    damage(home)
    assert "SECRET" not in seen(home)


@pytest.mark.parametrize("lost_by", ["an ingest", "leave to widen"])
def test_what_is_older_than_a_swept_version_tells_of_no_grant(home: LivingHome, lost_by: str) -> None:
    """The limit in the ledger is gone, and the version that took the passage is swept: only older ones are open."""
    home.put("hall", "p/page.md", page("kept"))
    home.ingest(["hall"])
    first = home.current
    home.put("hall", "p/page.md", page("kept", "SECRET"))
    home.ingest(["hall"])
    held = [home.store.open(first), home.store.open(home.current)]
    full = home.current
    home.take("hall", "p/page.md")
    home.ingest(["hall"])
    restored = home.rollback(full, hide=True)
    if lost_by == "an ingest":
        home.release()
        home.put("hall", "p/page.md", page("kept"))
        home.ingest(["hall"])
    else:
        home.rollback(first, allow_widening=True)
    assert home.store.sweep().pinned == tuple(version.number for version in held)
    home.rollback(restored, hide=True)
    assert "SECRET" not in seen(home)


@pytest.fixture
def history(home: LivingHome) -> Callable[..., None]:
    """Adds to the history of a second source, `mail`."""
    log, numbers = home.place / "events.jsonl", itertools.count()

    def say(*rows: dict[str, str]) -> None:
        with log.open("a") as file:
            file.writelines(json.dumps({"commit": f"c{next(numbers)}", **row}) + "\n" for row in rows)

    home.bench.events("mail", log)
    home.put_rules("mail", [("**", [PUBLIC])])
    say(*added({f"o/{n}.md": f"filler{n}" for n in range(3)}), *added({"a/page.md": "SECRET"}))
    home.bench.ledger.sources.add(SourceRow("mail", "events", str(log), str(home.rules_file("mail"))))
    return say


def added(texts: dict[str, str]) -> Iterator[dict[str, str]]:
    return ({"op": "add", "path": path, "text": page(word).text()} for path, word in texts.items())


def test_a_history_taken_in_again_step_by_step_shows_nothing_of_the_past(
    home: LivingHome, history: Callable[..., None]
) -> None:
    home.ingest(["mail"])
    first = home.current
    history({"op": "rename", "old_path": "a/page.md", "path": "b/page.md"}, *added({"b/new.md": "SECRET2"}))
    home.ingest(["mail"])
    assert "SECRET2" in seen(home)
    history({"op": "delete", "path": "b/page.md"}, {"op": "delete", "path": "b/new.md"}, *added({"o/9.md": "filler9"}))
    home.ingest(["mail"])
    home.rollback(first, hide=True)
    home.release()
    home.bench.ingest(["mail"], until=6, allow_removals=True)
    assert "SECRET" not in seen(home)
    home.bench.ingest(["mail"], allow_removals=True)
    assert "SECRET" not in seen(home) and "filler9" in seen(home)


def test_nor_over_what_stands_in_for_a_damaged_version(home: LivingHome, history: Callable[..., None]) -> None:
    home.ingest(["mail"])
    history({"op": "rename", "old_path": "a/page.md", "path": "b/page.md"}, {"op": "delete", "path": "b/page.md"},
            *added({"o/8.md": "filler8"}))
    home.ingest(["mail"])
    damage(home)
    home.bench.ingest(["mail"], until=5, allow_removals=True)
    assert "SECRET" not in seen(home)
    home.bench.ingest(["mail"], allow_removals=True)
    assert "SECRET" not in seen(home) and "filler1" in seen(home)
