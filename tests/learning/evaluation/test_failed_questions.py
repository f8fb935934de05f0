"""Which questions went wrong, and what is told of each."""

import pytest
from homes.small_world import small_world

from vouch.answering.answer import Action, Answer
from vouch.correction.loop import answer_question
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote, grade
from vouch.learning.evaluation.failed_questions import failed

WEEKS = GoldQuote("leave.md", "Parents get 12 weeks of paid leave.")
ANSWERABLE = GoldenQuestion("1", "How long?", answerable=True, gold=((WEEKS,),))
ABSENT = GoldenQuestion("2", "Who won?", answerable=False)


def answer(action: Action, *quotes: tuple[str, str]) -> Answer:
    world = small_world()
    sample = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).answer
    cited = [sample.citations[0].model_copy(update={"path": path, "quote": quote}) for path, quote in quotes]
    return sample.model_copy(update={"citations": cited, "action": action})


RIGHT, OTHER = (WEEKS.path, WEEKS.text), ("pay.md", "Other words")


@pytest.mark.parametrize(("question", "action", "quote", "wrong"), [
    (ANSWERABLE, "answered", RIGHT, ""),
    (ANSWERABLE, "answered_with_caution", RIGHT, ""),
    (ANSWERABLE, "answered", OTHER, "answered"),
    (ANSWERABLE, "answered_with_caution", OTHER, "answered_with_caution"),
    (ANSWERABLE, "declined", None, "declined"),
    (ABSENT, "declined", None, ""),
    (ABSENT, "answered_with_caution", OTHER, ""),
    (ABSENT, "answered", OTHER, "answered"),
])
def test_wrong_is_what_the_figures_count_as_wrong(
    question: GoldenQuestion, action: Action, quote: tuple[str, str] | None, wrong: str
) -> None:
    given = answer(action, *filter(None, [quote]))
    found = failed(grade(question, given), {"fused": None, "final": None}, given)
    assert (found or {"wrong": ""})["wrong"] == wrong


def test_what_was_shown_is_told_with_its_place_beside_what_was_known() -> None:
    given = answer("answered", OTHER)
    found = failed(grade(ANSWERABLE, given), {"fused": 3, "final": 7}, given)
    assert found is not None and (found["id"], found["question"], found["place"]) == ("1", "How long?", 7)
    assert found["expected"] == [{"path": WEEKS.path, "quote": WEEKS.text}]
    [shown] = found["shown"]
    cited = given.citations[0]
    assert (shown["path"], shown["quote"]) == OTHER
    assert (shown["title"], shown["lines"]) == (cited.title, list(cited.lines))
