"""What the analyser makes of words: examples, and rules that hold for any text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vouch.adapters.analyser import SnowballAnalyser

ANALYSER = SnowballAnalyser()
ASCII_WORDS = st.lists(st.from_regex(r"[a-z]{1,9}|[0-9]{1,4}", fullmatch=True), max_size=8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The passengers were running", ["passeng", "run"]),
        ("comp7107a", ["comp7107a", "comp", "7107"]),
        ("getHTTPCode2", ["gethttpcode2", "get", "http", "code", "2"]),
        ("get_user_name", ["get_user_name", "get", "user", "name"]),
        ("os.path.join", ["os.path.join", "os", "path", "join"]),
        ("__init__", ["init"]),
        ("PDFs, VPNs and APIs", ["pdf", "vpn", "api"]),
        ("don't the company's o'brien’s", ["compani", "obrien", "brien"]),
        ("naïve café Ångström Łódź ﬁne", ["naiv", "cafe", "angstrom", "lodz", "fine"]),
        ("U.S.A. 1,000,000 C++ C#", ["usa", "1000000", "c++", "c#"]),
        ("東京大学 猫 Python入門", ["東京", "京大", "大学", "猫", "python", "入門"]),
        ("हिन्दी", ["हिन्दी"]),
        ("multi-factor ana@acme.test", ["multi", "factor", "ana", "acme.test", "acm", "test"]),
        ("who is it?", []),
        ("... ' _ - __", []),
        ("so\u00adft zero\u200bwidth", ["soft", "zerowidth"]),
    ],
)
def test_examples(text: str, expected: list[str]) -> None:
    assert ANALYSER.terms(text) == expected


def test_a_hash_does_not_fall_into_crumbs() -> None:
    assert ANALYSER.terms("a1b2c3d4e5f6a7b8c9d0") == ["a1b2c3d4e5f6a7b8c9d0"]


@pytest.mark.slow
@given(ASCII_WORDS)
def test_case_does_not_matter(words: list[str]) -> None:
    text = " ".join(words)
    assert ANALYSER.terms(text) == ANALYSER.terms(text.upper()) == ANALYSER.terms(text.title())


@given(st.text(alphabet="aeiouncy", min_size=1, max_size=12), st.sampled_from("\u0301\u0300\u0308\u0302"))
def test_accents_do_not_matter(word: str, mark: str) -> None:
    assert ANALYSER.terms("".join(c + mark for c in word)) == ANALYSER.terms(word)


@given(st.lists(st.from_regex(r"[a-z]{3,8}", fullmatch=True), min_size=2, max_size=5), st.integers(0, 4))
def test_a_part_and_the_whole_both_find_a_compound(words: list[str], n: int) -> None:
    part = ANALYSER.terms(words[n % len(words)])
    for compound in ("_".join(words), ".".join(words), "".join(w.title() for w in words), words[0] + "77" + words[1]):
        found = set(ANALYSER.terms(compound))
        assert set(ANALYSER.terms(compound.lower())) & found
        if "77" not in compound:
            assert set(part) <= found
        else:
            assert set(ANALYSER.terms("77")) <= found


@settings(max_examples=300)
@given(st.text(max_size=80))
def test_any_text_gives_clean_repeatable_terms(text: str) -> None:
    terms = ANALYSER.terms(text)
    assert terms == SnowballAnalyser().terms(text)
    for term in terms:
        assert term and term.encode() and not any(c.isspace() for c in term)


def test_terms_of_joined_texts_are_joined_terms() -> None:
    first, second = "Reset the VPN token.", "Travel by getUserName"
    assert ANALYSER.terms(f"{first}\n{second}") == ANALYSER.terms(first) + ANALYSER.terms(second)


def test_the_fingerprint_names_the_rules() -> None:
    assert ANALYSER.fingerprint == SnowballAnalyser().fingerprint
    assert ANALYSER.fingerprint.startswith("snowball-english:")


def test_a_megabyte_takes_about_a_second() -> None:
    text = "The committee approved version 2.1 of travel_policy for contractors' expenses in Zürich. " * 12_000
    start = time.perf_counter()
    ANALYSER.terms(text)
    assert time.perf_counter() - start < 2.5
