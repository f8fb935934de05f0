"""What leads from one passage to the next: names, and where there are few, words that few other passages hold."""

from dataclasses import replace

from homes.small_world import EVERYBODY, NOBODY, handbook, passage, small_world

from vouch.correction.loop import answer_question
from vouch.correction.steps.memory import MOST_WORDS, bridging_words
from vouch.values.candidate import Passage

CHAIN = "Who leads the team that owns the payment gateway?"
GATEWAY = passage("the payment gateway is kept by the quokkas, who like tea.", chunk_id="gateway", path="gateway.md",
                  title="", section=())
QUOKKAS = passage("the head of the quokkas is mara.", chunk_id="quokkas", path="q.md", title="", section=())
ROWS = [GATEWAY, QUOKKAS, *handbook()]


def words(rows: list[Passage], of: Passage = GATEWAY, hidden: str = "") -> tuple[str, ...]:
    world = small_world(rows)
    if hidden:
        world.index.labels[hidden] = NOBODY
    return bridging_words(world.index.view(EVERYBODY), of, CHAIN, world.components.analyser.terms)


def test_without_names_a_word_that_another_passage_holds_leads_on() -> None:
    assert words(ROWS) == ("quokkas",)         # not "tea", which stands nowhere else
    outcome = answer_question(replace(small_world(ROWS).ask(CHAIN), steps=3), small_world(ROWS).components)
    assert any("quokkas" in one.query and "quokkas" in one.passages for one in outcome.answer.steps)


def test_a_word_that_only_hidden_passages_hold_as_well_leads_nowhere() -> None:
    assert words(ROWS, hidden="quokkas") == ()


def test_words_of_the_question_and_frequent_ones_lead_nowhere() -> None:
    many = [passage(f"quokkas like tea {n}.", chunk_id=f"c{n}", path=f"{n}.md") for n in range(9)]
    assert "quokkas" not in words([*ROWS, *many])


def test_names_come_first_and_there_are_not_too_many() -> None:
    text = "Ada, Bob, Cyd and Dan met the quokkas. " + GATEWAY.text
    assert set(words([replace(GATEWAY, text=text), *ROWS[1:]], replace(GATEWAY, text=text))) == {
        "Ada", "Bob", "Cyd", "Dan"}
    assert MOST_WORDS == 4
