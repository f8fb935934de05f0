"""The tokenizer counts and cuts as the encoder does, without loading it."""

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.models.tokenizer import load_tokenizer

TOKENIZER = load_tokenizer()
TEXT = st.text(st.sampled_from("abc ABC éß中文🙂\n\t.,-[]#1290'\"")) | st.text()


@given(TEXT)
def test_spans_lie_in_the_text_in_order(text: str) -> None:
    spans = TOKENIZER.spans(text)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


@given(TEXT)
def test_every_token_of_an_input_is_counted(text: str) -> None:
    only = TOKENIZER.inputs([text])[0]
    assert len(only.tokens) == min(len(TOKENIZER.spans(text)), TOKENIZER.limit - 2)
    assert len(only.ids) == len(only.tokens) + 2 <= TOKENIZER.limit
    assert set(only.words) <= set(only.tokens)


def test_a_cut_input_keeps_its_closing_token() -> None:
    long, short = TOKENIZER.inputs(["word " * 1000, "word"])
    assert len(long.ids) == TOKENIZER.limit and long.ids[-1] == short.ids[-1] and long.ids[0] == short.ids[0]


def test_special_tokens_written_in_a_text_stay_text() -> None:
    plain = TOKENIZER.inputs(["a [SEP] b [CLS]"])[0]
    assert plain.ids.count(plain.ids[-1]) == 1 and plain.ids.count(plain.ids[0]) == 1
    assert len(plain.tokens) == len(plain.ids) - 2


def test_words_leave_punctuation_out() -> None:
    asked = TOKENIZER.inputs(["Who, then?"])[0]
    assert len(asked.tokens) == 4 and len(asked.words) == 2


def test_counting_needs_no_torch() -> None:
    code = (
        "import sys; from vouch.adapters.models.tokenizer import load_tokenizer; load_tokenizer().spans('a b');"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
