"""BERT's forward pass in plain torch, read from safetensors.

transformers takes 7 s to import here and torch 3 s; a question asked from a
cold start should not wait for model classes it does not use. The equations
are those of Devlin et al. 2019 (arXiv 1810.04805); a test compares every
token vector with transformers.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


class Bert:
    """Token vectors of a BERT encoder: `(rows, width)` ids and mask in, `(rows, width, d)` out."""

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

    def __call__(self, ids: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
        from torch.nn.functional import embedding, layer_norm

        width = ids.shape[1]
        hidden = embedding(ids, self._words) + self._kind + self._places[:width]
        hidden = layer_norm(hidden, hidden.shape[-1:], *self._norm, self._eps)
        # Always a mask, even where nothing is padded: without one, other kernels give other bits.
        visible = mask.bool()[:, None, None, :].expand(-1, 1, width, width)
        for layer in self._layers:
            hidden = layer(hidden, visible)
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

    def __call__(self, hidden: "torch.Tensor", visible: "torch.Tensor") -> "torch.Tensor":
        from torch.nn.functional import gelu, layer_norm, linear, scaled_dot_product_attention

        rows, width, size = hidden.shape
        qkv = linear(hidden, *self._qkv).view(rows, width, 3, self._heads, size // self._heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        seen = scaled_dot_product_attention(query, key, value, attn_mask=visible)
        seen = linear(seen.transpose(1, 2).reshape(rows, width, size), *self._out)
        hidden = layer_norm(hidden + seen, (size,), *self._out_norm, self._eps)
        grown = linear(gelu(linear(hidden, *self._up)), *self._down)
        return layer_norm(hidden + grown, (size,), *self._down_norm, self._eps)
