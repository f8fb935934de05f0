"""The topics profile: chunks end where the text goes on to another subject, and lose or reorder nothing."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.adapters.sandbox.parsed_chunks import take_apart
from vouch.chunking.document_chunks import Profile, chunker_fingerprint
from vouch.chunking.topics import turns
from vouch.documents.document import Content

SUBJECTS = {
    "leave": "parental leave weeks paid vacation holiday manager calendar absence",
    "keys": "vault tokens rotate secret engineers database certificate password",
    "travel": "flights hotel booking receipts expenses reimbursed airline train",
}


def sentences(subject: str, count: int, seed: int) -> list[str]:
    draw, words = random.Random(f"{subject} {seed}"), SUBJECTS[subject].split()
    return [f"The {' and '.join(draw.sample(words, 4))}." for _ in range(count)]


def chunks(text: str, profile: Profile = "topics", size: int = 180, overlap: int = 30) -> list[str]:
    content = Content("a.md", text.encode(), "")
    found = take_apart("docs", content, load_tokenizer(), size=size, overlap=overlap, limits=ParsingLimits(),
                       profile=profile)
    return [found.text[chunk.start : chunk.end] for chunk in found.chunks]


@pytest.mark.parametrize("seed", range(5))
def test_a_paragraph_is_cut_between_its_subjects(seed: int) -> None:
    parts = [sentences(subject, 8, seed) for subject in SUBJECTS]
    text = "# Handbook\n\n" + " ".join(sentence for part in parts for sentence in part)
    found = chunks(text)
    assert {chunk.split(".")[0] + "." for chunk in found} >= {part[0] for part in parts}
    for chunk in found:                 # each is about one subject
        assert sum(any(word in chunk for word in words.split()) for words in SUBJECTS.values()) == 1
    usual = chunks(text, "usual")
    assert any(sum(any(word in chunk for word in words.split()) for words in SUBJECTS.values()) > 1 for chunk in usual)


def test_short_paragraphs_of_one_subject_stay_together() -> None:
    one = "\n\n".join(sentences("leave", 3, 0))
    assert chunks(f"# Leave\n\n{one}\n") == [one]


@given(st.lists(st.text("ab cde.\n", max_size=40), max_size=30), st.sampled_from([1, 3, 10]))
def test_turns_are_rising_and_part_what_is_large_enough(texts: list[str], least: int) -> None:
    sizes = [len(text) for text in texts]
    found = turns(texts, sizes, least)
    assert found == sorted(set(found)) and all(0 < n < len(texts) for n in found)
    parts = [sum(sizes[start:end]) for start, end in pairwise([0, *found, len(texts)])]
    assert not found or min(parts) >= least


@pytest.mark.parametrize("texts", [[], ["one sentence"], ["same words here"] * 20])
def test_one_subject_has_no_turns(texts: list[str]) -> None:
    assert turns(texts, [9] * len(texts), 1) == []


def test_where_nothing_changes_no_subject_begins_however_clear_a_turn_elsewhere_is() -> None:
    """One deep valley among gaps without any depth: their mean less half of their deviation is below zero."""
    assert turns(["parents get leave"] * 20 + ["keys rotate monthly"] * 20, [9] * 40, 1) == [20]


def test_the_clearest_turn_is_taken_where_two_stand_close_together() -> None:
    texts = sentences("leave", 6, 0) + sentences("keys", 1, 0) + sentences("travel", 6, 0)
    assert set(turns(texts, [1] * len(texts), 4)) & {6, 7}


@given(st.lists(st.sampled_from(sorted(SUBJECTS)), min_size=1, max_size=6), st.integers(0, 99))
def test_every_sentence_lies_in_one_chunk_in_order(subjects: list[str], seed: int) -> None:
    written = [sentence for n, subject in enumerate(subjects) for sentence in sentences(subject, 4, seed + n)]
    found = chunks("# All\n\n" + " ".join(written), size=120, overlap=0)
    assert " ".join(found) == " ".join(written)


def test_its_chunks_have_another_fingerprint() -> None:
    prints = [chunker_fingerprint(180, 30, profile) for profile in ("usual", "papers", "topics")]
    assert all(one != other for one, other in pairwise([*prints, prints[0]]))
