"""Requests that schemathesis draws from the service's own OpenAPI document, sound and broken, for three identities.

None fails, and none is answered in a way that the document does not describe.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from homes.memory import folder_in_memory
from http_scene.http_place import HEADER, SECRET, Place, http_place
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from running.soak_table import Figures
from schemathesis import Case, GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import positive_data_acceptance

from bots.http.app import Service

DOCUMENT = Path(__file__).parents[3] / "docs" / "openapi.json"       # a test holds it equal to the service's own
PEOPLE = ("", "ana", "olga")            # the public, a person, an operator
QUESTION = "How many days of paid leave has everybody?"
EXAMPLES = 150                          # of each operation, identity and kind, in the long form
# A number for a word, or 1 for true: whatever can be understood is taken, and that is a little more than described.
CONFIG = {"checks": {"negative_data_rejection": {"enabled": False}}}
DRAWN = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
# Formats that the document names and JSON Schema does not know.
VISIBLE = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=40)
schemathesis.openapi.format("printable", VISIBLE)
schemathesis.openapi.format("owner", st.sampled_from(["user:ana@acme.test", "user:ben@acme.test", "group:people"]))
schemathesis.openapi.format("path-pattern", st.sampled_from(["**/*.md", "hr/**", "a?/*", "leave.md"]) | VISIBLE.map(
    lambda words: words.translate(str.maketrans("*?[{", "+!()"))))
schema = schemathesis.openapi.from_path(DOCUMENT, config=schemathesis.Config.from_dict(CONFIG))


@dataclass(frozen=True)
class There:
    """The service, and what paths may name that is there."""

    place: Place
    named: dict[str, str]

    def send(self, case: Case, who: str) -> int:
        """As drawn, and, where its path names something, once more for something that is there; how many requests."""
        self._send(case, who)
        if not case.path_parameters:
            return 1
        drawn = dict(case.path_parameters)
        case.path_parameters.update({name: self.named[name] for name in drawn})
        self._send(case, who)
        case.path_parameters.update(drawn)
        return 2

    def _send(self, case: Case, who: str) -> None:
        proof = {HEADER: who, "X-Vouch-Proxy-Secret": SECRET} if who else {}
        told = case.call(base_url=self.place.address, headers=proof)
        case.validate_response(told, excluded_checks=[positive_data_acceptance] if _says_nothing(told) else [])


def _says_nothing(told: Any) -> bool:
    """Whether a question was refused for what no schema can say: words of which none can be seen."""
    return told.status_code == 422 and bool(told.json()["type"] == "urn:vouch:problem:bad-input")


def there(place: Place) -> There:
    ana = place.person("ana")
    answer = ana.post("/v1/ask", {"question": QUESTION}).json["id"]
    chunk = ana.post("/v1/search", {"query": "leave"}).json["results"][0]["chunk_id"]
    return There(place, {"named": answer, "chunk_id": chunk, "source": "docs", "name": "docs", "path": "leave.md"})


@pytest.fixture(scope="module")
def service() -> Iterator[There]:
    with folder_in_memory() as folder, http_place(folder) as place:
        yield there(place)


@schema.parametrize()
@settings(max_examples=4, derandomize=True, **DRAWN)
def test_drawn_requests_are_answered_as_described(case: Case, service: There) -> None:
    for who in PEOPLE:
        service.send(case, who)


@pytest.mark.soak
def test_many_more_are_answered_as_described(service: There, figures: Figures) -> None:
    """It goes on after a finding, so that one run finds what there is."""
    sent, found = Sent(), list[Exception]()
    for operation, who, mode in product(operations(), PEOPLE, GenerationMode):
        try:
            sent.count(operation, mode, many(service, operation.as_strategy(generation_mode=mode), who))
        except Exception as error:
            found.append(error)
        told = f"{sent.counts.total():,} requests, {len(found)} findings"
        print(operation.label, who or "public", mode.value, told, flush=True)
    if found:
        raise ExceptionGroup("requests that are not answered as described", found)
    assert sent.none_of() == []
    figures("requests drawn from the OpenAPI document by schemathesis",
            f"{sent.counts.total():,} requests, {len(PEOPLE)} identities",
            "0 answers of 5xx, 0 that the document does not describe")


@pytest.mark.slow
def test_of_each_operation_some_are_sent_sound_and_broken(service: There) -> None:
    """An operation that nothing is drawn for would pass in silence."""
    sent = Sent()
    for operation, mode in product(operations(), GenerationMode):
        sent.count(operation, mode, many(service, operation.as_strategy(generation_mode=mode), "ana", examples=2))
    assert sent.none_of() == []


def test_an_operation_that_nothing_is_sent_for_is_seen(service: There) -> None:
    sent = Sent()
    for operation, mode in product(operations(), GenerationMode):
        is_search = operation.label == "POST /v1/search"
        sent.count(operation, mode, many(service, st.nothing(), "ana") if is_search else 1)
    assert sent.none_of() == ["POST /v1/search positive", "POST /v1/search negative"]


def operations() -> list[Any]:
    return [found.ok() for found in schema.get_all_operations()]


@dataclass
class Sent:
    """How many requests of each operation and kind; nothing can be wrong in one without parameters and body."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    needed: dict[tuple[str, str], bool] = field(default_factory=dict)

    def count(self, operation: Any, mode: GenerationMode, requests: int) -> None:
        kind, raw = (operation.label, mode.value), operation.definition.raw
        self.counts[kind] += requests
        self.needed[kind] = mode is GenerationMode.POSITIVE or bool(raw.get("parameters") or raw.get("requestBody"))

    def none_of(self) -> list[str]:
        return [" ".join(kind) for kind, needed in self.needed.items() if needed and not self.counts[kind]]


def many(service: There, cases: st.SearchStrategy[Case], who: str, examples: int = EXAMPLES) -> int:
    """How many requests were sent."""
    sent = []

    @settings(max_examples=examples, phases=(Phase.generate,), **DRAWN)
    @given(case=cases)
    def drawn(case: Case) -> None:
        sent.append(service.send(case, who))

    with suppress(Unsatisfiable):       # nothing can be wrong in a request without parameters; whoever counts tells
        drawn()
    return sum(sent)


@dataclass
class Forgetful:
    """Plants answers without their question."""

    questions: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.questions, name)

    def look(self, *words: Any) -> Any:
        found = self.questions.look(*words)
        return found and {name: value for name, value in found.items() if name != "question"}


@dataclass
class Broken:
    """Plants a failure in every search."""

    library: Any

    def search(self, *words: Any) -> Any:
        raise RuntimeError("planted")


@pytest.mark.parametrize(("path", "planted"), [
    ("/v1/answers/{named}", lambda service: replace(service, questions=Forgetful(service.questions))),
    ("/v1/search", lambda service: replace(service, library=Broken(service.library))),
])
def test_a_planted_fault_is_seen(path: str, planted: Any) -> None:
    def changed(service: Service) -> Service:
        made: Service = planted(service)
        return made

    operation = next(schema.include(path=path).get_all_operations()).ok()
    with folder_in_memory() as folder, http_place(folder, changed=changed) as place:
        answer = place.person("ana").post("/v1/ask", {"question": QUESTION}).json["id"]
        case = operation.Case(path_parameters={"named": answer}, body={"query": "leave"}, media_type="application/json")
        with pytest.raises(FailureGroup):
            There(place, {"named": answer}).send(case, "ana")
