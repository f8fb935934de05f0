"""What is taken out of words before they are shown."""

import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.answering.disarming import addresses, disarm

ATTACKS = [
    "https://evil.example/x?q=1", "HTTP://EVIL.EXAMPLE", "www.evil.example", "evil.example/path", "evil.example",
    "ftp://evil.example", "mailto:x@evil.example", "x@evil.example", "[docs](https://evil.example)",
    "![i](https://evil.example/i.png)", "<https://evil.example|docs>", "<https://evil.example>", "<!channel>",
    "<!here|x>", "<!subteam^S1>", "<@U1>", "<#C1|x>", "@channel", "@here", "@ana", "<!date^1^x^https://evil.example|y>",
    "htt\u200bps://evil.example", "https://evil\u202e.example", "<javascript:alert(1)|x>", "ht<!x>tps://evil.example",
]


def armed(text: str) -> bool:
    """An independent look: anything a chat could turn into a link or a mention."""
    lowered = text.lower()
    marks = ("evil.example", "://", "<!", "<@", "<#", "mailto:", "javascript:", "](", "@channel", "@here", "@ana")
    hidden = any(unicodedata.category(c) == "Cf" for c in text)
    return hidden or any(mark in lowered for mark in marks)


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_disarmed_and_the_words_around_stay(attack: str) -> None:
    assert armed(attack)
    shown = disarm(f"Leave is 12 weeks {attack} for parents.", "Leave is 12 weeks for parents.")
    assert not armed(shown) and shown.startswith("Leave is 12 weeks") and "for parents" in shown


@given(st.lists(st.sampled_from([*ATTACKS, "words", " ", "\n", "<", ">", "(", "@", ".", "/", "!"]), max_size=12))
def test_no_mixture_of_attacks_gets_through(parts: list[str]) -> None:
    assert not armed(disarm("".join(parts), "nothing of it is cited"))


def test_an_address_stays_only_if_it_is_cited_exactly() -> None:
    cited = "See https://rules.example/a and ask help@acme.test."
    assert disarm("See https://rules.example/a.", cited) == "See https://rules.example/a."
    assert disarm("Ask help@acme.test.", cited) == "Ask help@acme.test."
    assert "rules" not in disarm("See https://rules.example/a/steal?x=1.", cited)
    assert addresses(cited) == {"https://rules.example/a", "help@acme.test"}


@given(st.text())
def test_disarming_twice_changes_nothing(text: str) -> None:
    once = disarm(text, "")
    assert disarm(once, "") == once


def test_ordinary_words_are_left_alone() -> None:
    text = "E.g. the U.S. rate (3.5 %, i.e. little) is in “Notes”: ask, don't guess… Version 3.11.2 applies."
    assert disarm(text, "") == text


@pytest.mark.parametrize("unit", ["[", "@", "::////", "mailmailto:to:", "[a](", "ht<!>tp://", "a-", "<!", "a."])
def test_what_is_nested_deep_is_disarmed_soon(unit: str) -> None:
    text = unit * (20_000 // len(unit)) + "a" + "](b)" * 5000
    began = time.process_time()
    shown = disarm(text, "")
    assert time.process_time() - began < 5 and not armed(shown)


NAME = re.compile(r"[a-z0-9]\.[a-z]{2}|://|mailto:|www\.[a-z0-9]|@\w|<[!@#]", re.IGNORECASE)
BITS = [
    "a", "b1", "-", "--", ".", "..", "com", "@", "_", "é", "/", ":", "://", "www.", "<", "!", ">", "|", "[", "](", ")"]


@given(st.lists(st.sampled_from(BITS), max_size=14))
def test_no_name_with_a_dot_is_left_however_it_is_put_together(parts: list[str]) -> None:
    assert not NAME.search(disarm("".join(parts), ""))
