"""BERT's forward pass in plain torch, read from safetensors.

transformers takes 7 s to import here and torch 3 s; a question asked from a
cold start should not wait for model classes it does not use. The equations
are those of Devlin et al. 2019 (arXiv 1810.04805); a test compares every
token vector with transformers.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Span = tuple[int, int]


class Bert:
    """Token vectors of a BERT encoder for texts laid end to end in a row of slots."""

    def __init__(self, folder: Path, config: dict[str, Any], dtype: "torch.dtype", device: str) -> None:
        from safetensors.torch import load_file

        stored = load_file(folder / "model.safetensors")
        weights = {name.removeprefix("bert."): tensor.to(device, dtype) for name, tensor in stored.items()}
        self._heads = int(config["num_attention_heads"])
        self._eps = float(config.get("layer_norm_eps", 1e-12))
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = weights["embeddings.position_embeddings.weight"]
        self._kind = weights["embeddings.token_type_embeddings.weight"][0]
        self._norm = (weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"])
        self._layers = [_Layer(weights, n, self._heads, self._eps) for n in range(int(config["num_hidden_layers"]))]
        self.dimensions = int(self._words.shape[1])

    def __call__(self, ids: "torch.Tensor", places: "torch.Tensor", spans: Sequence[Span]) -> "torch.Tensor":
        """`ids` and `places` (position in its own text) per slot, `spans` the slots of each text → (slots, d).

        Slots outside all spans are padding; what comes out of them means nothing.
        """
        from torch.nn.functional import embedding, layer_norm

        hidden = embedding(ids, self._words) + self._kind + embedding(places, self._places)
        hidden = layer_norm(hidden, hidden.shape[-1:], *self._norm, self._eps)
        for layer in self._layers:
            hidden = layer(hidden, spans)
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

    def __call__(self, hidden: "torch.Tensor", spans: Sequence[Span]) -> "torch.Tensor":
        from torch.nn.functional import gelu, layer_norm, linear

        size = hidden.shape[-1]
        seen = linear(self._attend(linear(hidden, *self._qkv), spans), *self._out)
        hidden = layer_norm(hidden + seen, (size,), *self._out_norm, self._eps)
        grown = linear(gelu(linear(hidden, *self._up)), *self._down)
        return layer_norm(hidden + grown, (size,), *self._down_norm, self._eps)

    def _attend(self, qkv: "torch.Tensor", spans: Sequence[Span]) -> "torch.Tensor":
        """Each text sees itself alone, so the shape of its attention is its own length."""
        from torch.nn.functional import scaled_dot_product_attention

        slots, size = qkv.shape[0], qkv.shape[1] // 3
        parts = qkv.view(slots, 3, self._heads, size // self._heads).permute(1, 2, 0, 3)
        seen = qkv.new_zeros((slots, size))
        for start, end in spans:
            query, key, value = parts[:, None, :, start:end]
            one = scaled_dot_product_attention(query, key, value)[0]
            seen[start:end] = one.transpose(0, 1).reshape(end - start, size)
        return seen
