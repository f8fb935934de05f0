"""Reranking by a cross-encoder: a model that reads question and passage as one text and gives the pair a score.

Any sequence classifier in the folder of a Hugging Face model will do that has
one label, whose logit is the score, or two, of which the second means that the
passage fits: then the score is how far its logit is above the other. So will a
judge that `vouch train judge` made, and a T5 that was trained as in Corrective
RAG; which of them it is, the folder says.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.adapters.models.batching import ActiveRequests, Batcher
from vouch.adapters.models.encoder import ROWS, Placement
from vouch.adapters.models.folder import ModelFolder, package_versions
from vouch.adapters.models.passes import Form, Shapes
from vouch.adapters.models.scorers.judge import TOKENS, is_judge
from vouch.adapters.models.scorers.judge_scores import Scores, judge_scores
from vouch.adapters.models.scorers.pair_tokens import PairTokens
from vouch.adapters.models.scorers.t5 import check_head, is_t5, read_pairs, with_ends
from vouch.errors import ModelDown

_RULES = 5                              # raise when a score of an equal pair could change
_LOADING = threading.Lock()             # transformers changes torch's default type of numbers while it loads
_ROWS = 8                               # pairs of a pass, of which a GPU takes more; what is free is filled up
# Tokens of a row. A pair goes to the narrowest one it leaves a token free in: where nothing is padding, attention takes
# another kernel with other bits.
_WIDTHS = (64, 128, 256, 512)
_CURE = "set VOUCH_RERANKER__MODEL to the folder of a sequence classifier with one or two labels"

Rows = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]   # ids, types, mask, each (room, width)


@dataclass(frozen=True, slots=True)
class _Model:
    scores: Scores
    shapes: Shapes


class CrossEncoderReranker:
    """Implements the Reranker port. Threads may share it: pairs of all of them go through it in the same passes, and
    one that several ask for at a time goes once."""

    def __init__(
        self, model: _Model, tokenizer: Any, *, fingerprint: str, active: ActiveRequests | None = None
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._fingerprint = fingerprint
        self._batcher = Batcher(self._run, model.shapes, active, ahead=True)

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def forward_passes(self) -> int:
        """So far."""
        return self._batcher.passes

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """One score per (question, passage), unbounded. Of a pair that is too long the passage is cut, and of a
        question that takes more than its share of a row its end.

        Raises ModelDown.
        """
        return self._batcher.encode([_typed_ids(one) for one in self._tokenizer.encode_batch(list(pairs))])

    def _run(self, form: Form, pairs: Sequence[Sequence[int]]) -> list[float]:
        try:
            return self._model.scores(form, pairs)
        except (RuntimeError, MemoryError) as error:    # torch's out-of-memory and kernel errors
            raise ModelDown(f"the reranker failed: {error}",
                            cure="free memory, or set VOUCH_ENCODER__DEVICE=cpu") from error


def cross_encoder_weights(folder: Path) -> str:
    """Which model it is; what is learned from its scores goes by that. Raises ModelDown."""
    return f"cross-encoder:{ModelFolder.open(folder).files_digest()[:32]}"


def load_cross_encoder(
    folder: Path, dtype: str = "auto", device: str = "auto", active: ActiveRequests | None = None
) -> CrossEncoderReranker:
    """The model in memory. `active`: the threads whose pairs are worth waiting for. Raises ModelDown."""
    place = Placement.choose(dtype, device)
    rules = str(_RULES) + (ROWS if place.device == "cuda" else "")
    parts = (rules, cross_encoder_weights(folder), place.device, place.dtype,
             package_versions("torch", "tokenizers", "transformers"))
    fingerprint = "cross-encoder:" + sha256("\0".join(parts).encode()).hexdigest()[:32]
    try:
        with _LOADING:
            model = _judge(folder, place) if is_judge(folder) else _classifier(folder, place)
        return CrossEncoderReranker(model, _load_tokenizer(folder), fingerprint=fingerprint, active=active)
    except ModelDown:
        raise
    except Exception as error:          # torch, safetensors and transformers raise what they like
        raise ModelDown(f"the reranker in {folder} cannot be loaded on {place.device}: {error}", cure=_CURE) from error


def _judge(folder: Path, place: Placement) -> _Model:
    slots = _pairs_of_a_pass(place) * TOKENS
    return _Model(judge_scores(folder, place), Shapes((Form(TOKENS + 1, slots, packed=True),)))


def _pairs_of_a_pass(place: Placement) -> int:
    return _ROWS * (4 if place.device == "cuda" else 1)


def _classifier(folder: Path, place: Placement) -> _Model:
    import torch
    from transformers import AutoModelForSequenceClassification
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]     # vouch has its own
    kind = {"float32": torch.float32, "bfloat16": torch.bfloat16}[place.dtype]
    loaded, loading_info = AutoModelForSequenceClassification.from_pretrained(
        str(folder), local_files_only=True, trust_remote_code=False, use_safetensors=True, dtype=kind,
        output_loading_info=True,
    )
    check_head(folder, loading_info if is_t5(folder) else {})
    end = loaded.config.eos_token_id if is_t5(folder) else None
    model = loaded.to(place.device).eval()
    labels, typed = model.config.num_labels, getattr(model.config, "type_vocab_size", 0) > 1
    if labels not in (1, 2):
        raise ModelDown(f"the reranker in {folder} has {labels} labels", cure=_CURE)

    def scores(form: Form, pairs: Sequence[Sequence[int]]) -> list[float]:
        rows = _rows(form, pairs)
        shown = rows if end is None else (with_ends(rows[0], end), *rows[1:])
        ids, types, mask = (torch.from_numpy(each).to(place.device) for each in shown)
        with torch.inference_mode():
            more = {"token_type_ids": types} if typed else {}
            logits = model(input_ids=ids, attention_mask=mask, **more).logits.float().cpu().numpy()
        differences = np.asarray(logits[:, -1] - (logits[:, 0] if labels == 2 else 0.0), np.float32)
        return [float(score) for score in differences[: len(pairs)]]

    return _Model(scores, Shapes(tuple(Form(width, _pairs_of_a_pass(place), packed=False) for width in _WIDTHS)))


def _load_tokenizer(folder: Path) -> Any:
    if is_t5(folder):
        return read_pairs(folder)
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    most = TOKENS if is_judge(folder) else min(ModelFolder.open(folder).limit, _WIDTHS[-1] - 1)
    return PairTokens(tokenizer, most)


def _typed_ids(encoded: Any) -> list[int]:
    """Of each token its id and, in the last bit, whether it is of the passage."""
    return [2 * token + kind for token, kind in zip(encoded.ids, encoded.type_ids, strict=True)]


def _rows(form: Form, pairs: Sequence[Sequence[int]]) -> Rows:
    typed, mask = (np.zeros((form.room, form.width), np.int64) for _ in range(2))
    for n, one in enumerate(pairs):
        typed[n, : len(one)] = one
        mask[n, : len(one)] = 1
    mask[len(pairs):, 0] = 1            # a row without any token would be no number
    return typed // 2, typed % 2, mask
