"""What every IngestRunner promises: a real ingest, in this process or by a deployment of a real Prefect server."""

import fcntl
import itertools
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import pytest
from homes.ingest_bench import Bench
from machines.prefect_place import PrefectPlace

from flows.runs.runner import DirectRunner, PrefectRunner
from vouch.adapters.ledger import SourceRow
from vouch.errors import Busy, Guarded, Held, NotFound, Unavailable
from vouch.ports.ingestion import IngestRunner

pytestmark = pytest.mark.integration

DEPLOYMENT = "ingest/every-quarter-hour"
PREFECT = pytest.param("prefect", marks=[pytest.mark.model, pytest.mark.slow])
PREFECT_LONG = pytest.param("prefect", marks=[pytest.mark.model, pytest.mark.soak])
_numbers = itertools.count()


class Place(Protocol):
    """A home with one source, a folder; a starter for it."""

    home: Path
    docs: Path
    source: str
    starter: IngestRunner

    def known(self) -> dict[str, str]: ...


class InProcessPlace:
    source = "docs"

    def __init__(self, folder: Path) -> None:
        self.home, self.docs = folder / "home", folder / "docs"
        self.docs.mkdir()
        self._bench = Bench(self.home)
        self._bench.folder("docs", self.docs)
        self.starter: IngestRunner = DirectRunner(lambda: self._bench.components)

    def known(self) -> dict[str, str]:
        return self._bench.known("docs")


class DeployedPlace:
    def __init__(self, prefect: PrefectPlace) -> None:
        self.home, self.source = prefect.home, f"docs{next(_numbers)}"
        self.docs = prefect.folder / self.source
        self.docs.mkdir()
        self._bench = Bench(prefect.home)
        self._bench.ledger.sources.add(SourceRow(self.source, "folder", str(self.docs)))
        self.starter: IngestRunner = PrefectRunner(DEPLOYMENT, poll_s=0.2)

    def known(self) -> dict[str, str]:
        return self._bench.known(self.source)

    def end(self) -> None:
        """Nobody else's run shall meet what this one leaves."""
        self._bench.ledger.sources.remove(self.source)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "in-process":
        yield InProcessPlace(tmp_path)
        return
    from prefect.settings import PREFECT_API_AUTH_STRING, PREFECT_API_URL, temporary_settings

    prefect: PrefectPlace = request.getfixturevalue("prefect")
    named = {setting: prefect.env[setting.name] for setting in (PREFECT_API_URL, PREFECT_API_AUTH_STRING)}
    with temporary_settings(named):
        made = DeployedPlace(prefect)
        yield made
        made.end()


def write(place: Place, **words: str) -> dict[str, str]:
    """Documents by name; what their hashes are."""
    for name, word in words.items():
        (place.docs / f"{name}.md").write_text(f"# {word}\n\nThis is about {word}.\n")
    return {f"{name}.md": sha256((place.docs / f"{name}.md").read_bytes()).hexdigest() for name in words}


def go_on() -> bool:
    return False


@pytest.mark.parametrize("place", ["in-process", PREFECT], indirect=True)
def test_once_it_returns_the_changes_are_published_and_no_other(place: Place) -> None:
    first = write(place, a="apples", b="pears", c="plums")
    place.starter.ingest(place.source, None, go_on)
    assert place.known() == first
    second = write(place, a="grapes", b="figs")
    place.starter.ingest(place.source, ["a.md", "../odd.md"], go_on)
    assert place.known() == first | {"a.md": second["a.md"]}


@pytest.mark.parametrize("place", ["in-process", PREFECT_LONG], indirect=True)
def test_an_unknown_source_is_named(place: Place) -> None:
    with pytest.raises(NotFound, match="nothere"):
        place.starter.ingest("nothere", None, go_on)


@pytest.mark.parametrize("place", ["in-process", PREFECT], indirect=True)
def test_it_ends_soon_once_it_is_told_to(place: Place) -> None:
    write(place, a="apples", b="pears")
    began = time.monotonic()
    with pytest.raises(Unavailable):
        place.starter.ingest(place.source, None, lambda: True)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("place", ["in-process", PREFECT_LONG], indirect=True)
def test_another_run_in_the_way_can_be_waited_out(place: Place) -> None:
    written = write(place, a="apples")
    place.home.mkdir(exist_ok=True)
    with (place.home / "ingest.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Busy, match="another ingest"):
            place.starter.ingest(place.source, None, go_on)
    place.starter.ingest(place.source, None, go_on)
    assert place.known() == written


@pytest.mark.parametrize("place", ["in-process", PREFECT_LONG], indirect=True)
def test_a_guard_can_be_waited_out_too(place: Place) -> None:
    written = write(place, a="apples", b="pears", c="plums")
    place.starter.ingest(place.source, None, go_on)
    for path in place.docs.iterdir():
        if path.name != "a.md":
            path.rename(path.with_suffix(".away"))
    with pytest.raises(Guarded, match="2 of 3"):
        place.starter.ingest(place.source, ["b.md", "c.md"], go_on)
    assert place.known() == written


@pytest.mark.parametrize("place", ["in-process", PREFECT_LONG], indirect=True)
def test_a_rollback_holds_it_until_it_is_released(place: Place) -> None:
    first = write(place, a="apples")
    place.starter.ingest(place.source, None, go_on)
    held = Bench(place.home)
    store = held.components.store
    store.rollback(store.versions.current() or 0)
    try:
        written = write(place, b="pears")
        with pytest.raises(Held, match="stopped since"):
            place.starter.ingest(place.source, ["b.md"], go_on)
        assert place.known() == first
    finally:
        held.ledger.holds.release()
    place.starter.ingest(place.source, ["b.md"], go_on)
    assert place.known() == first | written


class Run:
    """A flow run as Prefect tells of it."""

    name = "odd-otter"

    def __init__(self, state: Any) -> None:
        self.state = state


def test_what_a_flow_run_raised_is_raised_here() -> None:
    from prefect.client.schemas.objects import State, StateType

    from flows.runs.runner import _check

    def ended(kind: StateType, message: str) -> Run:
        return Run(State(type=kind, message=message))

    _check(ended(StateType.COMPLETED, ""))  # type: ignore[arg-type]
    with pytest.raises(Held, match="stopped since"):
        _check(Run(State(type=StateType.COMPLETED, name="Held", message="stopped since then")))  # type: ignore[arg-type]
    for message, expected in {
        "Flow run encountered an exception: Guarded: source docs: 3 of 4\nmore": Guarded,
        "Flow run encountered an exception: vouch.errors.Busy: another ingest is running": Busy,
        "Flow run encountered an exception: LedgerDown: away": Unavailable,
    }.items():
        with pytest.raises(expected):
            _check(ended(StateType.FAILED, message))  # type: ignore[arg-type]
    for message in ("Flow run encountered an exception: KeyError: 'x'", "something else"):
        with pytest.raises(Exception, match="odd-otter") as raised:
            _check(ended(StateType.FAILED, message))  # type: ignore[arg-type]
        assert not isinstance(raised.value, Unavailable | Busy | Guarded)
    with pytest.raises(Unavailable):
        _check(ended(StateType.CRASHED, "the worker died"))  # type: ignore[arg-type]
