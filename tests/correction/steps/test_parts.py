"""How a question is taken apart: comparisons, what commas and an "and" join, several names, and chains."""

import pytest

from vouch.correction.planning.parts import parts_of


def test_comparisons_are_cut_where_one_side_ends() -> None:
    for question, sides in {
        "What is the difference between sick leave and parental leave?": ["sick leave", "parental leave"],
        "Differences between the time to respond and the time to fix?": ["the time to respond", "the time to fix"],
        "Compare bed and board with full pay": ["bed and board", "full pay"],
        "Compare the way to ask vs. the way to tell": ["the way to ask", "the way to tell"],
        "Compare sick leave to parental leave": ["sick leave", "parental leave"],
        "Compare Falcon, Heron and Osprey": ["Falcon", "Heron", "Osprey"],
        "Differences between sick leave, parental leave, and rest?": ["sick leave", "parental leave", "rest"],
        "Compare A, which is new, with B": ["A, which is new", "B"],
    }.items():
        assert [part.text for part in parts_of(question)] == sides
    for before in ("What is the wifi password?", "What is the wifi password, and", "What is the wifi password,"):
        assert [part.text for part in parts_of(f"{before} compare the E4 band with the E5 band")] == [
            "What is the wifi password", "the E4 band", "the E5 band"]
    assert [part.text for part in parts_of("What is the difference between what A does and what B does, and who is C?")
            ] == ["what A does", "what B does", "who is C"]
    for question in ("What is the difference between pay and leave and rest?", "Compare A with B with C",
                     "Compare pay, bed and board and full pay"):
        assert len(parts_of(question)) == 1


def test_questions_that_commas_and_an_and_join_are_parts() -> None:
    for question, parts in {
        "Who approves expenses, how long does it take and what is needed?":
            ["Who approves expenses", "how long does it take", "what is needed"],
        "When I am ill, who do I tell and what is needed?": ["When I am ill, who do I tell", "what is needed"],
        "What is the policy on leave, which is new, and who approves it?":
            ["What is the policy on leave, which is new", "who approves it"],
        "Who leads Merlin, and also how long are its backups kept?":
            ["Who leads Merlin", "how long are its backups kept"],
        "What does “who leads and what is” mean, and who wrote it?":
            ["What does “who leads and what is” mean", "who wrote it"],
    }.items():
        assert [part.text for part in parts_of(question)] == parts


FIRST = "How long do deploy tokens live"
SECOND = (
    "what's the wifi password", "who’s the CEO", "how's it paid", "could they sue us", "would the CEO sign it",
    "might contractors get them", "shall I bring my dog", "am I paid", "need I ask", "whom do I ask",
    "by whom was it found", "for how long", "through which bank am I paid", "in which cases is none opened",
    "tell me who pays", "list who decides", "is overtime paid", "are contractors paid", "has the CEO signed it",
)


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("joint", [" and ", ", and ", " plus ", " as well as ", " & ", " / ", "? ", ", and also "])
def test_the_usual_ways_of_joining_two_questions_are_cut(joint: str, second: str) -> None:
    assert [part.text for part in parts_of(f"{FIRST}{joint}{second}?")] == [FIRST, second]


def test_numbered_questions_and_those_that_a_comma_alone_joins_are_cut() -> None:
    assert [part.text for part in parts_of("1) on-call pay 2) token lifetime 3) the CEO's name")] == [
        "on-call pay", "token lifetime", "the CEO's name"]
    assert [part.text for part in parts_of(f"{FIRST}, where is the canteen?")] == [FIRST, "where is the canteen"]
    assert len(parts_of("What is the rule for Ana, who is new?")) == 1


@pytest.mark.parametrize("whole", [
    "If I am on call and have a day off, what is paid?",
    "When a self-test fails and is repeated, what do I do?",
    "What may be granted if the child is born before week 34 and is in hospital?",
    "Is a plan closed when the goals are met or is it extended?",
    "Does a page that is not answered and is severity 1 wake the director?",
    "Who signs it and is always asked first?", "Who may open it and must sign it?",
    "Who is a director and has a card?",
])
def test_one_clause_with_two_verbs_is_not_cut(whole: str) -> None:
    assert [part.text for part in parts_of(whole) if part.wanted] == [whole]


def test_thanks_are_no_part_and_quoted_text_is_not_cut() -> None:
    asked = "Who leads Merlin and how long are backups kept? "
    for polite in ("Thanks a lot in advance!", "Thank you so much, everyone!!", "Thanks for your help."):
        assert [part.text for part in parts_of(asked + polite)] == ["Who leads Merlin", "how long are backups kept"]
        assert len(parts_of(f"Who leads Merlin? {polite}")) == 1
    assert len(parts_of(f"{asked}Thanks to whom?")) == 3
    for question in ('What does "who leads and what is" mean?', "What is «pay? or what do» about?",
                     'Who said "compare Falcon, Heron and Osprey"?'):
        assert [part.text for part in parts_of(question)] == [question]


def test_names_that_are_surely_several_are_asked_one_by_one() -> None:
    for question, parts in {
        "Who leads Falcon, Heron and Osprey?": ["Who leads Falcon", "Who leads Heron", "Who leads Osprey"],
        "Are Falcon and Heron on call?": ["Are Falcon on call", "Are Heron on call"],
        "Does Falcon or Heron own the portal?": ["Does Falcon own the portal", "Does Heron own the portal"],
        "When do both Falcon and Heron meet?": ["When do Falcon meet", "When do Heron meet"],
    }.items():
        assert [part.text for part in parts_of(question)] == parts
    assert len(parts_of("Who leads Research and Development?")) == 1


def test_a_chain_of_two_clauses_is_cut_between_them() -> None:
    for question, helping in {
        "Does the team that owns the gateway follow the policy that applies to payments?":
            ["the team that owns the gateway", "the policy that applies to payments"],
        "In the country that Falcon is part of, what share of edits is ours?": ["the country that Falcon is part of"],
        "Must the team that owns the gateway comply with the policy that applies to payments?":
            ["the team that owns the gateway", "the policy that applies to payments"],
        "Who leads the team that owns the service that handles payments?":
            ["the team that owns the service that handles payments", "the service that handles payments"],
    }.items():
        first, *others = parts_of(question)
        assert first.text == question and first.wanted
        assert [part.text for part in others] == helping and not any(part.wanted for part in others)
