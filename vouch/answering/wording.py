"""The sentences of an answer as one text: running ones side by side, lists and code on lines of their own."""

from collections.abc import Sequence

from vouch.answering.citations import Sentence

_FENCE = "```"


def answer_text(sentences: Sequence[Sentence]) -> str:
    """Every sentence with the numbers of its citations behind it."""
    text, block_before = "", False
    for sentence in sentences:
        block = "\n" in sentence.text or bool(sentence.left_out)
        joint = "\n\n" if block or block_before else " "
        text = f"{text}{joint}{_numbered(sentence)}" if text else _numbered(sentence)
        block_before = block
    return text


def sentence_text(sentence: Sentence) -> str:
    """Its words, and behind them on a line of its own what its list or block has besides, and where."""
    return sentence.text + _besides(sentence)


def _numbered(sentence: Sentence) -> str:
    """A fence must end its line, so numbers go below it."""
    numbers = "".join(f" [{n}]" for n in sentence.citations)
    fenced = sentence.text.rsplit("\n", 1)[-1].lstrip().startswith(_FENCE)
    words = f"{sentence.text}\n{numbers.lstrip()}" if fenced else sentence.text + numbers
    return words + _besides(sentence)


def _besides(sentence: Sentence) -> str:
    return f"\n({sentence.left_out}: see [{sentence.citations[-1]}])" if sentence.left_out else ""
