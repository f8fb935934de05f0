"""The sentences of an answer as one text: running ones side by side, lists and code on lines of their own."""

from collections.abc import Sequence

from vouch.answering.citations import Sentence
from vouch.answering.support import MARK

_FENCE = "```"


def answer_text(sentences: Sequence[Sentence]) -> str:
    """Every sentence with the numbers of its citations behind it."""
    text, block_before = "", False
    for sentence in sentences:
        block = is_block(sentence)
        joint = "\n\n" if block or block_before else " "
        text = f"{text}{joint}{numbered(sentence)}" if text else numbered(sentence)
        block_before = block
    return text


def numbered(sentence: Sentence) -> str:
    """Its words and the numbers of its citations: behind them, or below a fence, which must end its line."""
    numbers = "".join(f" [{n}]" for n in sentence.citations)
    fenced = sentence.text.rsplit("\n", 1)[-1].lstrip().startswith(_FENCE)
    words = f"{sentence.text}\n{numbers.lstrip()}" if fenced else sentence.text + numbers
    return words + _doubt(sentence) + _besides(sentence)


def is_block(sentence: Sentence) -> bool:
    """Whether it needs lines of its own: a list, code, or what says below it how much it leaves out."""
    return "\n" in sentence.text or bool(sentence.left_out)


def sentence_text(sentence: Sentence) -> str:
    """Its words, and behind them on a line of its own what its list or block has besides, and where."""
    return sentence.text + _doubt(sentence) + _besides(sentence)


def _doubt(sentence: Sentence) -> str:
    return MARK if sentence.weak else ""


def _besides(sentence: Sentence) -> str:
    return f"\n({sentence.left_out}: see [{sentence.citations[-1]}])" if sentence.left_out else ""
