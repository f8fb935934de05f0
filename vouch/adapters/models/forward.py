"""One pass of a model over token ids: plain BERT in torch, packed, or any other model, padded.

transformers takes 7 s to import here and torch 3 s; a question asked from a
cold start should not wait for model classes it does not use. The equations
are those of Devlin et al. 2019 (arXiv 1810.04805); a test compares every
token vector with transformers.

Folders that hold a plain BERT need torch alone; any other
sentence-transformers folder is run by that library. Weights are safetensors,
read from disk only; no code of a model folder is ever run.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vouch.adapters.models.attention import Attention, SlotRange, attention_of
from vouch.adapters.models.folder import ModelFolder
from vouch.adapters.models.passes import Form

if TYPE_CHECKING:
    import torch


class Bert:
    """Token vectors of a BERT encoder for texts laid end to end in a row of slots.

    `stored`: its weights by the names that checkpoints have.
    """

    def __init__(
        self, stored: "Mapping[str, torch.Tensor]", config: dict[str, Any], dtype: "torch.dtype", device: str
    ) -> None:  # fmt: skip
        weights = {name.removeprefix("bert."): tensor.to(device, dtype) for name, tensor in stored.items()}
        self._heads = int(config["num_attention_heads"])
        self._eps = float(config.get("layer_norm_eps", 1e-12))
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = weights["embeddings.position_embeddings.weight"]
        self._kinds = weights["embeddings.token_type_embeddings.weight"]
        self._norm = (weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"])
        self._layers = [_Layer(weights, n, self._heads, self._eps) for n in range(int(config["num_hidden_layers"]))]
        self.dimensions = int(self._words.shape[1])

    def __call__(
        self, ids: "torch.Tensor", places: "torch.Tensor", attention: Attention,
        kinds: "torch.Tensor | None" = None,
    ) -> "torch.Tensor":  # fmt: skip
        """`ids` and `places` (position in its own text) per slot, `attention` within each text → (slots, d).

        `kinds`: per slot 0 for the first of two texts that are read as one, 1 for the second; None: all 0. Slots
        of no text are padding; what comes out of them means nothing.
        """
        from torch.nn.functional import embedding, layer_norm

        kind = self._kinds[0] if kinds is None else embedding(kinds, self._kinds)
        hidden = embedding(ids, self._words) + kind + embedding(places, self._places)
        hidden = layer_norm(hidden, hidden.shape[-1:], *self._norm, self._eps)
        for layer in self._layers:
            hidden = layer(hidden, attention)
        return hidden


class _Layer:
    """Self-attention and feed-forward, each followed by residual and layer norm."""

    def __init__(self, weights: "dict[str, torch.Tensor]", number: int, heads: int, eps: float) -> None:
        import torch

        def pair(name: str) -> "tuple[torch.Tensor, torch.Tensor]":
            at = f"encoder.layer.{number}.{name}"
            return weights[f"{at}.weight"], weights[f"{at}.bias"]

        parts = [pair(f"attention.self.{name}") for name in ("query", "key", "value")]
        self._qkv = (torch.cat([w for w, _ in parts]), torch.cat([b for _, b in parts]))
        self._out, self._out_norm = pair("attention.output.dense"), pair("attention.output.LayerNorm")
        self._up, self._down, self._down_norm = (
            pair("intermediate.dense"), pair("output.dense"), pair("output.LayerNorm"),
        )
        self._heads, self._eps = heads, eps

    def __call__(self, hidden: "torch.Tensor", attention: Attention) -> "torch.Tensor":
        from torch.nn.functional import gelu, layer_norm, linear

        slots, size = hidden.shape
        read = linear(hidden, *self._qkv).view(slots, 3, self._heads, size // self._heads)
        seen = linear(attention(read), *self._out)
        hidden = layer_norm(hidden + seen, (size,), *self._out_norm, self._eps)
        grown = linear(gelu(linear(hidden, *self._up)), *self._down)
        return layer_norm(hidden + grown, (size,), *self._down_norm, self._eps)


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


class Laid(NamedTuple):
    """Texts end to end in a row of slots: per slot a token's id and its position in its own text; the slots of each."""

    ids: "torch.Tensor"
    places: "torch.Tensor"
    spans: list[SlotRange]


def laid_end_to_end(inputs: Sequence[Sequence[int]], room: int, pad: int) -> Laid:
    """In a row of `room` slots, what is left of it filled up with `pad`."""
    import torch

    spans = list(pairwise(np.cumsum([0, *map(len, inputs)]).tolist()))
    ids, places = np.full(room, pad), np.zeros(room, np.int64)
    for token_ids, (start, end) in zip(inputs, spans, strict=True):
        ids[start:end] = token_ids
        places[start:end] = np.arange(end - start)
    return Laid(torch.from_numpy(ids), torch.from_numpy(places), spans)


def _packed(folder: ModelFolder, device: str, dtype: "torch.dtype") -> tuple[Forward, int]:
    import torch
    from safetensors.torch import load_file

    bert = Bert(load_file(folder.path / "model.safetensors"), folder.json("config.json"), dtype, device)
    first_only, pad = folder.pooling == "cls", _pad(folder)

    def forward(form: Form, inputs: Sequence[Sequence[int]]) -> list[Encoded]:
        ids, places, spans = laid_end_to_end(inputs, form.room, pad)
        with torch.inference_mode():
            hidden = bert(ids.to(device), places.to(device), attention_of(form, spans, device))
        vectors = hidden[: spans[-1][1]].cpu().float().numpy()
        each = [vectors[start:end] for start, end in spans]
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
            token_ids = inputs[row] if row < len(inputs) else filler
            ids[row, : len(token_ids)] = torch.tensor(token_ids)
            mask[row, : len(token_ids)] = 1
        with torch.inference_mode():
            out = model({"input_ids": ids.to(device), "attention_mask": mask.to(device)})
        sentences, tokens = (out[name].float().cpu().numpy() for name in ("sentence_embedding", "token_embeddings"))
        return [Encoded(sentences[row], tokens[row, : len(token_ids)]) for row, token_ids in enumerate(inputs)]

    return forward, int(model.get_embedding_dimension())


def _pad(folder: ModelFolder) -> int:
    return int(folder.json("config.json").get("pad_token_id") or 0)
