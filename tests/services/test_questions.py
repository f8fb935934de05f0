"""What people who are signed in may ask and see: ids that tell whose they are, operators, and being ready."""

import stat
from pathlib import Path
from typing import Any

import pytest

from consumers.monitoring.telemetry import Telemetry
from services.answering.askers import QuestionIds
from services.operating.operators import Operators
from services.operating.status import ServiceStanding
from vouch.access import Directory, Permissions, Person
from vouch.adapters.filesystem.home import kept_secret
from vouch.errors import Damaged, ModelDown

ANA, BEN = "user:ana", "user:ben"


def test_an_id_tells_whose_question_it_is() -> None:
    ids = QuestionIds(b"key")
    mine = ids.new(ANA, "Who?", [ANA])
    assert ids.is_of(mine, ANA) and not ids.is_of(mine, BEN) and not QuestionIds(b"other").is_of(mine, ANA)
    assert mine != ids.new(ANA, "Who?", [ANA])
    for forged in ("", "é" * 64, mine[:-1], mine[:32] + "0" * 32, mine + "0", mine.upper()):
        assert not ids.is_of(forged, ANA)


def test_a_repeat_has_the_id_of_the_first() -> None:
    ids = QuestionIds(b"key")
    first = ids.new(ANA, "Who?", [ANA], "k")
    assert first == ids.new(ANA, "Who?", [ANA], "k") and ids.is_of(first, ANA)
    others = [ids.new(BEN, "Who?", [ANA], "k"), ids.new(ANA, "What?", [ANA], "k"),
              ids.new(ANA, "Who?", [ANA, BEN], "k"), ids.new(ANA, "Who?", [ANA], "l"),
              ids.new(ANA, "Who?", [ANA, "k"], "")]
    assert len({first, *others}) == 6


class Known:
    def permissions(self) -> Permissions:
        people = {"olga": Person(("ops",)), "sam": Person(("leads",)), "ana": Person(())}
        return Permissions(1, {}, Directory(people, {"ops": (), "leads": ("ops",)}))


@pytest.mark.parametrize(("group", "reader", "is_one"), [
    ("group:ops", "user:olga", True), ("group:ops", "user:sam", True), ("group:ops", "user:ana", False),
    ("group:ops", "user:nobody", False), ("group:ops", "public", False), ("group:ops", "group:ops", False),
    ("", "user:olga", False),
])
def test_operators_are_the_people_of_one_group(group: str, reader: str, is_one: bool) -> None:
    assert Operators(Known(), group).is_one(reader) is is_one


def test_ready_means_loaded_indexed_and_waiting_for_nothing() -> None:
    there: list[Any] = []
    standing = ServiceStanding(Telemetry(), lambda: bool(there))
    assert standing.unready() == ["the models are being loaded"] and standing.sick() == []
    standing.telemetry.waits("models", ModelDown("of hidden.md"), 5.0)
    assert standing.unready() == ["the models could not be loaded, which is tried again; the log says why",
                                  "model does not answer"]
    standing.telemetry.goes_on("models")
    standing.loaded.set()
    assert standing.unready() == ["nothing has been ingested yet"]
    there.append("an index")
    assert standing.unready() == []
    standing.telemetry.waits("questions", ModelDown("of hidden.md"), 5.0)
    assert len(standing.unready()) == 1 and "hidden" not in standing.unready()[0]


def test_a_secret_is_drawn_once_and_is_its_owners(tmp_path: Path) -> None:
    file = tmp_path / "http.key"
    drawn = kept_secret(file)
    assert len(drawn) == 32 and kept_secret(file) == drawn
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_bytes(b"short")
    with pytest.raises(Damaged):
        kept_secret(file)
