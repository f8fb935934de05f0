"""One pass of a model over texts given as token ids: packed for plain BERT, padded rows for every other model.

Folders that hold a plain BERT need torch alone; any other
sentence-transformers folder is run by that library. Weights are safetensors,
read from disk only; no code of a model folder is ever run.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vouch.adapters.models.folder import ModelFolder
from vouch.adapters.models.shapes import Form

if TYPE_CHECKING:
    import torch

Vector = NDArray[np.float32]


class Encoded(NamedTuple):
    """A text's vectors as the model gives them, not normalised: of the sentence (d,), of its tokens (tokens, d)."""

    sentence: Vector
    tokens: Vector


# At most as many texts as the form has room for, each as its ids → one Encoded per text.
Forward = Callable[[Form, Sequence[Sequence[int]]], list[Encoded]]


def load_forward(
    folder: ModelFolder, device: str, dtype: "torch.dtype", filler: Sequence[int]
) -> tuple[Forward, int]:
    """The model of a folder in memory, and its dimensions. `filler` is what an empty row is filled with."""
    if folder.is_plain:
        return _packed(folder, device, dtype)
    return _padded(folder, device, dtype, filler)


def _packed(folder: ModelFolder, device: str, dtype: "torch.dtype") -> tuple[Forward, int]:
    import torch

    from vouch.adapters.models.bert import Bert

    bert = Bert(folder.path, folder.json("config.json"), dtype, device)
    first_only, pad = folder.pooling == "cls", _pad(folder)

    def forward(form: Form, inputs: Sequence[Sequence[int]]) -> list[Encoded]:
        ends = np.cumsum([0, *map(len, inputs)]).tolist()
        spans = list(pairwise(ends))
        ids = torch.full((form.room,), pad)
        places = torch.zeros(form.room, dtype=torch.long)
        for one, (start, end) in zip(inputs, spans, strict=True):
            ids[start:end] = torch.tensor(one)
            places[start:end] = torch.arange(end - start)
        with torch.inference_mode():
            hidden = bert(ids.to(device), places.to(device), spans).float().cpu().numpy()
        each = [hidden[start:end] for start, end in spans]
        return [Encoded(tokens[0] if first_only else tokens.mean(axis=0), tokens) for tokens in each]

    return forward, bert.dimensions


def _padded(folder: ModelFolder, device: str, dtype: "torch.dtype", filler: Sequence[int]) -> tuple[Forward, int]:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    quiet: Callable[[], None] = logging.disable_progress_bar
    quiet()
    model: Any = SentenceTransformer(
        str(folder.path), device=device, local_files_only=True, trust_remote_code=False,
        model_kwargs={"dtype": dtype, "use_safetensors": True},
    ).eval()
    pad = _pad(folder)

    def forward(form: Form, inputs: Sequence[Sequence[int]]) -> list[Encoded]:
        ids = torch.full((form.room, form.width), pad)
        mask = torch.zeros((form.room, form.width), dtype=torch.long)
        for row in range(form.room):
            one = inputs[row] if row < len(inputs) else filler
            ids[row, : len(one)] = torch.tensor(one)
            mask[row, : len(one)] = 1
        with torch.inference_mode():
            out = model({"input_ids": ids.to(device), "attention_mask": mask.to(device)})
        sentences, tokens = (out[name].float().cpu().numpy() for name in ("sentence_embedding", "token_embeddings"))
        return [Encoded(sentences[row], tokens[row, : len(one)]) for row, one in enumerate(inputs)]

    return forward, int(model.get_embedding_dimension())


def _pad(folder: ModelFolder) -> int:
    return int(folder.json("config.json").get("pad_token_id") or 0)
