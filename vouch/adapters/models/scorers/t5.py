"""An evaluator on T5, as in Corrective RAG (arXiv 2401.15884): one number for `question [SEP] passage`.

Its head reads the decoder at the end token, so each row has exactly one, and
it is the last: what a text holds of end tokens and padding is taken out, and
what is too long loses the end of its passage, never its question or its end
token.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vouch.adapters.models.folder import ModelFolder
from vouch.errors import ModelDown

KINDS = frozenset({"t5", "mt5", "umt5"})
SEPARATOR = " [SEP]"
CARD = "t5.json"                        # what vouch train judge --base writes beside its weights
MOST = 511                              # tokens of a row: in 512 places one stays free
_HEAD = "classification_head"
_CURE = "train one with vouch train judge --base FOLDER"


def is_t5(folder: Path) -> bool:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get("model_type") in KINDS


class Encoded(NamedTuple):
    """The tokens of one row, as those of the tokenizers that other models have."""

    ids: list[int]
    type_ids: list[int]
    attention_mask: list[int]


class T5Pairs:
    """The tokenizer of a folder, for pairs. `end` and `padding` are its config's."""

    def __init__(self, tokenizer: Any, end: int, padding: int, most: int = MOST) -> None:
        self._tokenizer, self._taken_out, self._end, self._most = tokenizer, {end, padding}, end, most
        self._separator = self._plain(SEPARATOR)

    def encode_batch(self, pairs: Sequence[tuple[str, str]]) -> list[Encoded]:
        return [self._row(question, passage) for question, passage in pairs]

    def _row(self, question: str, passage: str) -> Encoded:
        asked = self._plain(question)[: self._most // 2 - len(self._separator)] + self._separator
        ids = [*asked, *self._plain(passage)[: self._most - 1 - len(asked)], self._end]
        return Encoded(ids, [0] * len(ids), [1] * len(ids))

    def _plain(self, text: str) -> list[int]:
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return [one for one in ids if one not in self._taken_out]


def read_pairs(folder: Path) -> T5Pairs:
    """Raises ModelDown for a folder without a tokenizer.json, or without the numbers of its end token and padding."""
    from tokenizers import Tokenizer

    config = ModelFolder.open(folder).json("config.json")
    end, padding = config.get("eos_token_id", 1), config.get("pad_token_id", 0)
    if not isinstance(end, int) or not isinstance(padding, int):
        raise ModelDown(f"{folder / 'config.json'} does not say which tokens are the end and padding", cure=_CURE)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return T5Pairs(tokenizer, end, padding)


def with_ends(ids: NDArray[np.int64], end: int) -> NDArray[np.int64]:
    """Rows that only fill up a pass get an end token of their own: the model refuses rows that differ in it."""
    empty = ~(ids == end).any(axis=1)
    filled = ids.copy()
    filled[empty, 0] = end
    return filled


def check_head(folder: Path, loaded: Mapping[str, Any]) -> None:
    """`loaded`: what transformers says of a load. Raises ModelDown for a T5 that was never trained to score."""
    if any(str(name).startswith(_HEAD) for name in loaded.get("missing_keys") or ()):
        raise ModelDown(f"the T5 in {folder} has no head that scores passages", cure=_CURE)
