"""Answers as Slack shows them: saved drawings, sizes, and words that would command Slack."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bots.slack.answers.layout import LARGEST_IN_ALL, message
from bots.slack.channels.operators import read_operators
from bots.slack.escaping import link, literal, markdown, plain
from bots.slack.simulator.blocks import check_blocks
from bots.slack.simulator.drawing import draw
from vouch.answering.answer import ended_early
from vouch.answering.answer_text import UNSURE

DRAWINGS = Path(__file__).with_name("drawings.txt")
MARK = MarkdownIt("commonmark").enable(["table", "strikethrough"])
CONTROL = re.compile(r"<[@#!]|<https?:|<mailto:", re.IGNORECASE)
BARE = re.compile(r"\b[a-z][a-z0-9+.-]*://\S|\bwww\.\w|\bmailto:\w|[\w.]@\w"
                  r"|\w\.[^\W\d_]{2}", re.IGNORECASE)


def citation(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "number": number, "chunk_id": "c1", "source": "company", "path": "people/plan.md", "title": "Improvement plans",
        "section": ["Improvement plans", "Length"], "lines": [15, 16], "characters": [0, 5], "quote": "A plan",
        "url": "https://wiki.acme.test/plan", "page": None, "place": "lines 15-16", "header": "", "origin": "internal",
    } | changes  # fmt: skip


def answer(text: str = "A plan lasts 60 days. [1] It may be extended once. [2]", **changes: Any) -> dict[str, Any]:
    return {
        "id": "9c1d77aa9c1d77aa", "question": "How long is a plan?", "answer": text, "action": "answered",
        "reason": "", "citations": [citation(1), citation(2, url=None, title="", section=[], place="page 3")],
        "confidence": {"value": 0.609, "level": "medium"}, "knowledge": "internal", "warnings": [], "index_version": 12,
        "answered_at": "2026-03-10T08:00:00Z",
    } | changes  # fmt: skip


CASES: dict[str, tuple[dict[str, Any], bool]] = {
    "answered": (answer(), False),
    "answered without a question above it": (answer(), True),
    "with caution": (answer(action="answered_with_caution", warnings=["the plan is from 2019"]), False),
    "nearest passages": (answer(f"{UNSURE}\n\nImprovement plans: A plan lasts 60 days. [1]", citations=[citation(1)],
                                action="answered_with_caution", confidence={"value": 0.02, "level": "low"}), False),
    "from the web": (answer(knowledge="both", citations=[citation(1), citation(2, origin="external")]), False),
    "of documents whose sources tell when they changed": (answer(citations=[
        citation(1, changed_at="2026-01-02T23:30:00Z"), citation(2, changed_at="2026-03-10T07:00:00Z"),
        citation(3, changed_at=None)]), False),
    "declined": (answer("Nothing in the documents answers this.", action="declined", citations=[],
                        reason="weak evidence", index_version=0), False),
    "small talk": (answer("You are welcome.", action="replied", citations=[]), False),
    "words that command": (answer("<!channel> <@U1> [x](http://a.b) `c` *d* http://e.f &lt; [1]",
                                  citations=[citation(1, title="<@U1>", url="javascript:alert(1)")]), False),
    "many sources": (answer(citations=[citation(n) for n in range(1, 31)]), False),
}  # fmt: skip


def test_a_reason_that_is_the_answer_stands_once() -> None:
    told = "It was not answered in time."
    blocks, _ = message(answer(told, action="declined", reason=told, citations=[]), alone=False)
    assert draw(blocks).count("in time") == 1 and "not answered ·" in draw(blocks)


@pytest.mark.parametrize("length", [10, 1900])
def test_addresses_of_any_length_leave_room_for_the_answer(length: int) -> None:
    """Slack refuses a message that is too long, and the answer would never come."""
    url = "https://wiki.acme.test/" + "a" * length
    given_answer = answer("Words of the answer. [1] " * 600, citations=[citation(n, url=url) for n in range(1, 26)])
    blocks, _ = message(given_answer, alone=True)
    assert measured(blocks) <= LARGEST_IN_ALL
    told = json.dumps(blocks)
    assert told.count(url) == (25 if length == 10 else 3) and "more" not in told
    assert all(f"[{n}] " in draw(blocks) for n in range(1, 26))
    assert sum(len(one["text"]) for one in blocks if one["type"] == "markdown") > 3000


def measured(blocks: Any) -> int:
    """Characters of all texts and addresses."""
    if isinstance(blocks, dict):
        return sum(len(v) if k in ("text", "url") and isinstance(v, str) else measured(v) for k, v in blocks.items())
    return sum(map(measured, blocks)) if isinstance(blocks, list) else 0


@pytest.mark.parametrize("line", ["===", "=", "---", "--"])
def test_no_line_of_a_document_makes_a_heading_of_the_one_above(line: str) -> None:
    told, _ = markdown(f"words\n{line}\n- item")
    assert f"\\{line}" in told and "\n- item" in told


def drawn() -> str:
    parts = []
    for name, (given_answer, alone) in CASES.items():
        blocks, text = message(given_answer, alone=alone)
        parts.append(f"=== {name}\n{draw(blocks)}\n--- in a notification\n{text}\n")
    return "\n".join(parts)


def test_answers_look_as_they_did() -> None:
    """After a change that is meant: python -c 'import test_layout as t; t.DRAWINGS.write_text(t.drawn())'."""
    assert drawn() == DRAWINGS.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_slack_takes_them(name: str) -> None:
    blocks, text = message(CASES[name][0], alone=CASES[name][1])
    check_blocks(blocks)
    assert text


def test_of_an_answer_that_is_too_long_the_text_is_cut_and_never_the_sources() -> None:
    for size in (100, 11_000, 12_000, 60_000):
        long = answer("word <x> " * (size // 9), citations=[citation(n, title="t" * 400) for n in range(1, 101)])
        blocks, _ = message(long, alone=True)
        check_blocks(blocks)
        shown = draw(blocks)
        assert all(f"[{n}] " in shown for n in range(1, 101))
        assert ("longer than a message may be" in shown) == (size > 3000)


def test_of_more_sources_than_a_message_can_name_it_says_how_many() -> None:
    shown = draw(message(answer(citations=[citation(n, title="t" * 400) for n in range(1, 301)]), alone=True)[0])
    named = sum(f"[{n}] " in shown for n in range(3, 301)) + 2     # the text of the answer holds the first two
    assert 100 < named < 300 and f"and {300 - named} more" in shown


COMMANDS = ["<!channel>", "<!here|here>", "<@U123>", "<#C1|x>", "<http://evil.test|ok>", "[a](http://evil.test)",
            "http://evil.test", "https://evil.test/x", "www.evil.test", "evil.test/a", "a@evil.test",
            "mailto:a@evil.test", "<", ">", "&lt;!channel&gt;", "&amp;", "\\", "`", "```", "![a](b)",
            "[a]: http://evil.test", "- ", "\n1. ", "\t", "[", "]", "(", ")", "![", "[^1]", "# ", "ht", "tp", ":",
            "//", "\n", ".", "    ", "\u202e", "\u200b", "\u2060", "@channel", "slack://user", "javascript:alert(1)",
            "|", "~~"]
WORDS = st.lists(st.one_of(st.sampled_from(COMMANDS), st.text(max_size=8)), max_size=30).map("".join)


def links(text: str) -> list[str]:
    """Where a reader of standard Markdown would be led."""
    return [str(one.attrs.get("href") or one.attrs.get("src")) for token in MARK.parse(text)
            for one in token.children or [] if one.type in ("link_open", "image")]


def shown_of(text: str) -> str:
    """What standard Markdown shows, line by line; of code there is none."""
    tokens = MARK.parse(text)
    inline = [token.children for token in tokens if token.children]
    types = {one.type for one in [*tokens, *(one for block in inline for one in block)]}
    assert not types & {"code_block", "fence", "code_inline", "html_block"}
    shown = {"text": lambda one: one.content, "softbreak": lambda one: "\n", "hardbreak": lambda one: "\n"}
    return "\n".join("".join(shown[one.type](one) for one in block if one.type in shown) for block in inline)


def check_harmless(words: str) -> None:
    blocks, text = message(answer(words, question=words, reason=words, warnings=[words], citations=[
        citation(1, title=words, section=[words], url=words, place="line 1", path=words or "a",
                 changed_at="2026-01-02T23:30:00Z"), citation(2),
    ]), alone=True)
    check_blocks(blocks)
    for block in blocks:
        if block["type"] == "markdown":
            assert not CONTROL.search(block["text"]) and links(block["text"]) == []
            assert not BARE.search(shown_of(block["text"]))
    assert not CONTROL.search(text) and not BARE.search(html.unescape(text))
    targets = [one["url"] for block in blocks if block["type"] == "rich_text" for part in block["elements"]
               for one in part["elements"] if one["type"] == "link"]
    assert set(targets) <= {words, "https://wiki.acme.test/plan"} and all(link(one) == one for one in targets)


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(words=WORDS)
@example(words="x" * 197 + "http" + "://evil.test")
@example(words="http:\u200b//evil.test")
@example(words="evil.test/login, evil.\u200btest, EVIL.co.uk and пример.рф")
@example(words="http://evil.test:\n1. //<!channel>")
def test_no_words_of_an_answer_command_slack_or_lead_anywhere(words: str) -> None:
    check_harmless(words)


@pytest.mark.soak
@settings(max_examples=5000, deadline=None)
@given(words=WORDS)
def test_no_words_of_five_thousand_answers_do(words: str) -> None:
    check_harmless(words)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(words=WORDS, most=st.integers(1, 200))
def test_what_is_cut_is_the_beginning_of_what_is_not(words: str, most: int) -> None:
    whole, all_of_it = markdown(words)
    part, complete = markdown(words, most)
    assert all_of_it and len(part) <= most and whole.startswith(part) and complete == (len(whole) <= most)


@settings(max_examples=300, deadline=None)
@example(words="a  b")
@given(words=st.text(st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters="@"), max_size=60))
def test_what_is_escaped_still_shows_the_same_letters(words: str) -> None:
    shown = shown_of(markdown(f"x{words}x")[0].replace("\n", " ")).replace("\u2060", "")
    assert _as_wide(shown) == _as_wide(f"x{words}x")


def _as_wide(words: str) -> str:
    """Several blanks in a row, by which Markdown knows code, are shown as blanks that do not break."""
    return words.replace("\u00a0", " ")


def test_text_without_escaping_would_be_seen() -> None:
    assert CONTROL.search("<!channel>") and links("[a](http://evil.test)") and BARE.search("see http://evil.test")
    assert plain("<!channel>") == "&lt;!channel&gt;" and literal("a\nb\u202e") == "a b"


@pytest.mark.parametrize("url", [
    "", "javascript:alert(1)", "http://", "https://a b", "https://a|b", "https://a>b", "ftp://a", "http://u@h/",
    "https://[::1", "https://e\u0301", "x" * 3000, "//a.b", None,
])  # fmt: skip
def test_what_is_no_plain_address_of_the_web_is_no_link(url: str | None) -> None:
    assert link(url) is None


def test_an_address_of_the_web_is_a_link() -> None:
    assert link("https://wiki.acme.test/a?b=c#d") == "https://wiki.acme.test/a?b=c#d"


def test_that_steps_ended_early_is_told_once_unless_its_warning_is_left_out() -> None:
    ended, line = ended_early("budget", 2), "2 further steps: that is as far as it may go"
    steps = {"steps": [{}, {}], "stopped": "budget"}
    short, long = answer(warnings=[ended], **steps), answer(warnings=["a", "b", "c", ended], **steps)
    assert ended in json.dumps(message(short, alone=True)) and line not in json.dumps(message(short, alone=True))
    assert ended not in json.dumps(message(long, alone=True)) and line in json.dumps(message(long, alone=True))


def test_a_path_that_is_copied_from_a_message_is_a_filter_that_works() -> None:
    said = f"What is Concur? path:{markdown('hr/travel.md')[0].strip()}"
    _, filters = read_operators(said, lambda _: None, lambda _: None)
    assert filters.paths == ("hr/travel.md",) and said != "What is Concur? path:hr/travel.md"


def test_small_print_always_ends_with_the_id_by_which_people_ask_why() -> None:
    warnings = [f"{n} {'words ' * 60}" for n in range(5)]
    blocks = json.dumps(message(answer(warnings=warnings, index_version=7), alone=True))
    assert f"index version 7 \\u00b7 id {answer()['id'][:12]}" in blocks and "… · " not in blocks
    short = json.dumps(message(answer(warnings=["a", "b", "c", "d", "e"]), alone=True))
    assert "2 more notes, as /vouch why shows" in short
