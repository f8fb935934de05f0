"""Questions with passages as a joint model is given them, and the scores of many."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vouch.adapters.models.folder import default_model_dir
from vouch.adapters.models.scorers.joint import JointBert
from vouch.adapters.models.scorers.judge import TOKENS
from vouch.adapters.models.scorers.pair_tokens import PairTokens
from vouch.batches import batches
from vouch.learning.collections.labeled import Drawn, Row

AT_ONCE = 32
UNKNOWN = -100                          # what torch's cross-entropy leaves out


def score(
    model: JointBert, rows: Sequence[Row], progress: Callable[[str, int, int], None] | None = None
) -> NDArray[np.float64]:
    """The logit of each row, in floats of 32 bits."""
    logits = []
    device = str(next(model.parameters()).device)
    for done, some in enumerate(batches(rows, AT_ONCE)):
        if progress:
            progress("judge", done * AT_ONCE, len(rows))
        with torch.inference_mode():
            logits.append(model(*given(some, device)).cpu().numpy())
    return np.concatenate(logits).astype(np.float64)


def given(rows: Sequence[Row], device: str) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, types and mask of the rows, each (rows, tokens of the longest)."""
    ids, types, mask = (each.to(device, non_blocking=True) for each in tokens(rows))
    return ids, types, mask


def tokens(rows: Sequence[Row]) -> tuple[Tensor, Tensor, Tensor]:
    """Like `given`, in memory."""
    return _arrays(_tokenizer().encode_batch(list(rows)))


def drawn_tokens(drawn: Drawn) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The tokens of the rows, and (rows, 2) first and last token of the words that answer.

    0 where the passage does not answer, `UNKNOWN` where they are not known or were cut off.
    """
    encoded = _tokenizer().encode_batch(list(drawn.rows))
    places = np.full((len(encoded), 2), UNKNOWN, np.int64)
    for row, (one, label, place) in enumerate(zip(encoded, drawn.labels, drawn.places, strict=True)):
        if not label:
            places[row] = 0
        elif place is not None:
            ends = one.char_to_token(place[0], 1), one.char_to_token(place[1] - 1, 1)
            if None not in ends:
                places[row] = ends
    return (*_arrays(encoded), torch.from_numpy(places))


def _arrays(encoded: Sequence[Any]) -> tuple[Tensor, Tensor, Tensor]:
    ids, types, mask = (
        torch.from_numpy(np.array([getattr(one, name) for one in encoded], np.int64))
        for name in ("ids", "type_ids", "attention_mask")
    )
    return ids, types, mask


def _tokenizer() -> PairTokens:
    return _read_tokenizer(default_model_dir() / "tokenizer.json")


@lru_cache(maxsize=2)
def _read_tokenizer(file: Path) -> PairTokens:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_padding()
    return PairTokens(tokenizer, TOKENS)
