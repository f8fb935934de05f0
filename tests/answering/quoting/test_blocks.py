"""Lists and code are quoted whole, on their own lines, or say what is left out; nothing quoted is without bound."""

import pytest
from fakes.hashed_models import OverlapReranker
from homes.small_world import GATE, evidence, passage

from bots.terminal import _quote, _wrap
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.parsers.markdown.parser import read_markdown
from vouch.answering.answer_text import answer_text, sentence_text
from vouch.answering.disarming import disarmed
from vouch.answering.quoting.extractive import ExtractiveWriter
from vouch.answering.quoting.listing import LINE_CHARACTERS, quote_each
from vouch.answering.verification.citations import verify
from vouch.ports.language import Evidence

ANALYSER = SnowballAnalyser()
RERANKER = OverlapReranker(ANALYSER)
WRITER = ExtractiveWriter(RERANKER, ANALYSER, gate=GATE)
BATTERY = """\
Replace the battery of the robot like this:

1. Switch the robot **off**.
2. Open the flap.
   - Use the key.
3. Change the battery of the robot.
4. Run `nlctl calibrate`:
   ```sh
   nlctl calibrate   # battery
     --slow
   ```
5. Close the flap.
"""
VPN = "Set up the VPN:\n\n```sh\nsudo apt install wg # Ubuntu\n  nl-vpn *enroll* --user <user>\n```\n\nThe end."


def ask(question: str, given: list[Evidence]) -> str:
    verified = verify(WRITER.write(question, given), given, ANALYSER.terms)
    assert verified.warnings == ()
    for citation in verified.citations:
        assert citation.quote == citation.passage.text[citation.start : citation.end]
    return answer_text(verified.sentences)


def piece(text: str, start: int, end: int) -> list[Evidence]:
    """text[start:end] as a passage of the document `text`."""
    marks = read_markdown(text)[1].within(text, start, end)
    return [Evidence(1, passage(text[start:end], markup=marks), ((0, end - start),), 0.9)]


def test_a_numbered_list_is_quoted_whole_with_its_numbers() -> None:
    assert ask("change the battery of the robot", evidence(BATTERY)) == (
        "Replace the battery of the robot like this:\n1. Switch the robot off.\n2. Open the flap.\n   - Use the key.\n"
        "3. Change the battery of the robot.\n4. Run `nlctl calibrate`:\n   ```sh\n   nlctl calibrate   # battery\n"
        "     --slow\n   ```\n5. Close the flap. [1]"
    )


def test_steps_outside_the_passage_are_counted() -> None:
    start, end = BATTERY.index("2. Open"), BATTERY.index("\n4. Run")
    shown = ask("change the battery of the robot", piece(BATTERY, start, end))
    assert shown.startswith("2. Open the flap.\n   - Use the key.\n3. Change")
    assert shown.endswith("[1]\n(1 earlier and 2 more steps: see [1])")


def test_a_long_list_is_cut_at_an_item_and_says_so() -> None:
    step = "Clean part {0} of the machine with care and with the cloth of the day."
    steps = "\n".join(f"{n}. {step.format(n)}" for n in range(1, 60))
    text = "Clean the machine:\n\n" + steps
    draft = WRITER.write("clean part 3 of the machine with the cloth", evidence(text))
    [sentence] = draft.sentences
    assert sentence.text.endswith("with the cloth of the day.") and len(sentence.text) <= 1200
    left = 59 - (sentence.text.count("\n"))
    assert sentence.left_out == f"{left} more steps" and left > 20
    verified = verify(draft, evidence(text), ANALYSER.terms)
    assert sentence_text(verified.sentences[0]).endswith(f"\n({left} more steps: see [1])")


def test_code_stays_a_block_and_brings_its_sentence() -> None:
    assert ask("set up the VPN, enroll user", evidence(VPN)).startswith(
        "Set up the VPN:\n```sh\nsudo apt install wg # Ubuntu\n  nl-vpn *enroll* --user <user>\n```\n[1]"
    )


def test_code_cut_by_a_passage_says_how_many_lines_are_elsewhere() -> None:
    start, end = VPN.index("  nl-vpn"), VPN.index("\n\nThe end")
    shown = ask("enroll user with nl-vpn", piece(VPN, start, end))
    assert shown == "```\nnl-vpn *enroll* --user <user>\n```\n[1]\n(1 earlier line: see [1])"


@pytest.mark.parametrize(("text", "question", "wanted"), [
    ("Run `nl rollback --to x` first. The rollback takes four minutes. Tell ops before the rollback.",
     "How do I do a rollback?", "Run `nl rollback --to x` first."),
    ("Restart the service so.\n\n```\nsystemctl stop x\nsystemctl start x\n```", "How do I restart the service?",
     "```\nsystemctl stop x\nsystemctl start x\n```"),
])
def test_how_to_answers_bring_the_commands_beside_the_sentence(text: str, question: str, wanted: str) -> None:
    assert wanted in ask(question, evidence(text))


def test_an_answer_of_an_entry_does_not_begin_with_its_letter() -> None:
    text = "Q: Who waters the plants?\nA: Mia waters the plants. She likes it.\n\nQ: Who else?\nA: Nobody else."
    assert ask("likes it, Mia waters", evidence(text)) == "Mia waters the plants. She likes it. [1]"


def test_no_stop_is_doubled_or_added() -> None:
    assert ask("机器人 检修", evidence("机器人每年必须检修一次。")) == "机器人每年必须检修一次。 [1]"
    assert ask("large documents", evidence("- Large documents are `quarantined.`")) == (
        "Large documents are `quarantined.` [1]")


def test_a_blob_is_cut_and_so_is_its_citation() -> None:
    given = evidence("Blob of the office: " + "x" * 4000 + " end.")
    verified = verify(WRITER.write("blob of the office", given), given, ANALYSER.terms)
    assert verified.sentences[0].text.endswith(" …") and len(verified.citations[0].quote) <= 1200
    listed = verify(quote_each(RERANKER, "office", given), given, ANALYSER.terms)
    assert len(listed.sentences[0].text) <= LINE_CHARACTERS + 2 and len(listed.citations[0].quote) <= LINE_CHARACTERS


def test_what_code_quotes_is_not_disarmed_and_what_it_does_not_quote_is() -> None:
    cited = "Run `npm i @scope/pkg` and ssh root@bastion or `<!doctype>`."
    assert disarmed(cited, cited) == cited
    assert disarmed("Run `@here <!channel>` ssh root@evil", cited) == "Run `here ` ssh rootevil"
    assert disarmed("```\n<!channel>\n```", "nothing") == "```\n\n```"
    assert disarmed("Tell @here at `x`", "Tell @here at `x`") == "Tell here at `x`"


def test_a_terminal_keeps_lines_of_code_and_lists() -> None:
    long = "echo " + "word " * 40
    block = f"Do:\n```sh\n{long}\n\n  x\n```\n[1]"
    assert _wrap(block, 100) == block.split("\n")
    assert _wrap("1. " + "word " * 30, 100)[1].startswith("   word")
    assert _quote("Do:\n```sh\na\n  b\n```") == "Do:\na\n  b"
    assert _quote("one\ntwo") == "one two"
