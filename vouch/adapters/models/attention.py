"""How the texts of a pass see themselves alone: one after another, or side by side in rows of fixed width.

A GPU does a pass in the time in which it is told of the work, so it is told
of few large pieces. A processor's time goes by the work itself: there no text
pays for padding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vouch.adapters.models.passes import Form

if TYPE_CHECKING:
    import torch

SlotRange = tuple[int, int]             # where a text begins and ends in the row of slots
# What the layers read of each slot (slots, 3, heads, size of a head) → what each slot has seen (slots, size).
Attention = Callable[["torch.Tensor"], "torch.Tensor"]
_ALIGNED = 8                            # a row is as wide as a multiple of it: kernels with masks want that


def alone(spans: Sequence[SlotRange]) -> Attention:
    """The shape of a text's attention is its own length."""
    from torch.nn.functional import scaled_dot_product_attention

    def attend(read: "torch.Tensor") -> "torch.Tensor":
        slots, _, heads, size = read.shape
        parts = read.permute(1, 2, 0, 3)
        seen = read.new_zeros((slots, heads * size))
        for start, end in spans:
            query, key, value = parts[:, None, :, start:end]
            attention = scaled_dot_product_attention(query, key, value)[0]
            seen[start:end] = attention.transpose(0, 1).reshape(end - start, heads * size)
        return seen

    return attend


@dataclass(frozen=True, slots=True)
class Block:
    """Some texts of a pass as rows: of each place its slot (rows · width,), and whether a text is there (rows, width).

    Where none is, the slot is the first one of the pass.
    """

    slots: "torch.Tensor"
    filled: "torch.Tensor"


@dataclass(frozen=True, slots=True)
class Rows:
    """Implements Attention. Every block of a form has the same shape, so no text is computed otherwise for others."""

    blocks: list[Block]
    of_slots: "torch.Tensor"            # of each slot its place in the blocks, one behind the other

    def __call__(self, read: "torch.Tensor") -> "torch.Tensor":
        import torch
        from torch.nn.functional import scaled_dot_product_attention

        _, _, heads, size = read.shape
        seen = []
        for block in self.blocks:
            rows, width = block.filled.shape
            query, key, value = read[block.slots].view(rows, width, 3, heads, size).permute(2, 0, 3, 1, 4)
            found = scaled_dot_product_attention(query, key, value, block.filled[:, None, None, :])
            seen.append(found.transpose(1, 2).reshape(rows * width, heads * size))
        return (torch.cat(seen) if len(seen) > 1 else seen[0])[self.of_slots]


def in_rows(form: Form, spans: Sequence[SlotRange], device: str) -> Rows:
    """The texts of one pass in blocks; their widths and numbers of rows go by the form alone."""
    width = -(-(form.width - 1) // _ALIGNED) * _ALIGNED
    rows = max(1, 2 * form.room // width)           # as many as there are if texts are half as long as they may be
    slots = np.zeros((-(-max(1, len(spans)) // rows) * rows, width), np.int64)
    filled = np.zeros(slots.shape, np.bool_)
    of_slots = np.zeros(form.room, np.int64)
    for row, (start, end) in enumerate(spans):
        slots[row, : end - start] = np.arange(start, end)
        filled[row, : end - start] = True
        of_slots[start:end] = np.arange(row * width, row * width + end - start)
    filled[len(spans):, 0] = True       # a row that sees nothing would be no number
    sent = _sent(np.concatenate([of_slots, slots.ravel(), filled.ravel()]), device)
    end = form.room + slots.size
    each = zip(sent[form.room : end].view(-1, rows * width), sent[end:].view(-1, rows, width).bool(), strict=True)
    return Rows([Block(*one) for one in each], sent[: form.room])


def attention_of(form: Form, spans: Sequence[SlotRange], device: str) -> Attention:
    """Of the texts of one pass on the device where it runs."""
    return in_rows(form, spans, device) if device == "cuda" else alone(spans)


def _sent(numbers: NDArray[np.int64], device: str) -> "torch.Tensor":
    import torch

    return torch.from_numpy(numbers).to(device)
