"""What a search of a step may see: whatever its order says, no more than its question, for its readers as they are."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from homes.small_world import EVERYBODY, NOBODY, OPEN, handbook, passage, small_world
from homes.steps_world import TWO, Scripted, ask, world

from vouch.access import Audience, Label, Reader
from vouch.correction.planning.order import RagArgs, written
from vouch.correction.steps.tools import Bench, search
from vouch.errors import Usage
from vouch.filters import EVERYTHING, Filters
from vouch.ports.language import Situation
from vouch.retrieval.question.query import form_query

OLD, NEW = date(2025, 1, 1), date(2026, 1, 1)
TEAM = "group:team"
ROWS = [
    passage("The badge of Falcon is red.", chunk_id="old", path="a/old.md", source="handbook"),
    passage("The badge of Falcon is blue.", chunk_id="new", path="a/new.md", source="handbook"),
    passage("The badge of Falcon is green.", chunk_id="wiki", path="b/new.md", source="wiki"),
]


def found(filters: Filters = EVERYTHING, readers: Audience | None = None, **narrows: object) -> set[str]:
    """By a step's search of a question with these filters; `readers` are those of now."""
    made = small_world([*ROWS, *handbook()])
    made.index.dates.update({one.path: datetime(2026 - (one.chunk_id == "old"), 1, 5, tzinfo=UTC) for one in ROWS})
    made.index.labels["wiki"] = Label(frozenset({TEAM}))
    team = Audience((Reader(TEAM, frozenset({TEAM, "public"})),))
    resolve = None if readers is None else lambda: readers
    question = replace(made.ask("badge", team), filters=filters, resolve=resolve)
    query = form_query("badge", made.components.analyser)
    bench = Bench(question, query, made.index.view(readers or team, filters), made.components.kinds.facts,
                  made.components)
    args = RagArgs.model_validate({"query": "badge of Falcon"} | narrows)
    return {one.chunk_id for one in search(bench, args).candidates} & {"old", "new", "wiki"}


def test_each_argument_narrows_what_all_may_see() -> None:
    assert found() == {"old", "new", "wiki"}
    assert found(source="wiki") == {"wiki"} and found(path="a/**") == {"old", "new"}
    assert found(after=NEW) == {"new", "wiki"}


def test_an_earlier_day_than_that_of_the_question_does_not_widen_it() -> None:
    asked = Filters(after=NEW)
    assert found(asked) == found(asked, after=OLD) == {"new", "wiki"}
    assert found(Filters(after=OLD), after=NEW) == {"new", "wiki"}


def test_another_source_than_those_of_the_question_finds_nothing() -> None:
    asked = Filters(sources=("handbook",))
    assert found(asked, source="wiki") == set() and found(asked, source="handbook") == {"old", "new"}
    assert found(asked, after=NEW) == {"new"}


def test_a_path_beside_those_of_the_question_is_refused() -> None:
    asked = Filters(paths=("a/old.md",))
    for path in ("b/**", "a/**", "a/old.md"):
        with pytest.raises(Usage, match="paths of its own"):
            found(asked, path=path)
    assert found(asked, source="handbook") == {"old"} and found(asked, after=NEW) == set()


@pytest.mark.parametrize("narrows", [{"source": "wiki"}, {"path": "b/**"}, {"after": OLD}])
def test_who_left_a_group_since_the_question_was_asked_finds_nothing_of_it(narrows: dict[str, object]) -> None:
    """A search that is narrowed makes a view of its own."""
    assert "wiki" in found(**narrows) and "wiki" not in found(readers=EVERYBODY, **narrows)


def test_a_search_may_be_narrowed_and_never_widened() -> None:
    hidden = world(planner=Scripted(written("rag", {"query": "Monday Falcon", "path": "falcon.md"}, "")))
    assert {one for one, _ in ask(hidden, TWO, 1).steps[0]["found"]} == {"falcon"}
    hidden.index.labels["falcon"] = NOBODY
    assert ask(hidden, TWO, 1).steps[0]["found"] == []


def test_a_version_that_is_published_meanwhile_changes_no_search_that_is_narrowed() -> None:
    order = written("rag", {"query": "Monday Falcon", "path": "falcon.md"}, "")

    class Publishes(Scripted):
        def next_step(self, situation: Situation, problem: str = "") -> str:
            after.index.version += 1
            after.index.labels["falcon"] = OPEN
            after.index.passages = [*after.index.passages, passage("Monday.", chunk_id="new", path="falcon.md")]
            return super().next_step(situation, problem)

    before, after = world(planner=Scripted(order)), world(planner=Publishes(order))
    [was], [now] = ask(before, TWO, 1).steps, ask(after, TWO, 1).steps
    assert now["error"] == "" and now["found"] == was["found"] and [one for one, _ in was["found"]] == ["falcon"]
