"""How a question is taken apart: comparisons, what commas and an "and" join, several names, and chains."""

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
