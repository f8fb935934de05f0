"""What a judge is trained by.

The binary cross-entropy of the labels; for twins half a hinge with a margin of
1 between their logits; and half the cross-entropy of where the answer begins
and ends, as in SQuAD (Devlin et al. 2019, section 4.3), where that is known.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, dropout

from vouch.adapters.models.scorers.joint import JointBert, TrainableBert
from vouch.adapters.models.scorers.joint_rows import UNKNOWN
from vouch.learning.collections.labeled import ROWS, TWINS

_MARGIN, _SHARE = 1.0, 0.5              # of the hinge; of hinge and places, beside the labels


def loss_of(
    model: JointBert, ids: Tensor, types: Tensor, mask: Tensor, places: Tensor, labels: Tensor, *, twins: bool
) -> Tensor:
    """One number. With `twins` each batch of rows begins with them."""
    hidden = model.bert(ids, types, mask)
    logits = model.judge(hidden, types, mask).float()
    loss = binary_cross_entropy_with_logits(logits, labels)
    if twins:
        right, wrong = logits.view(-1, ROWS)[:, : 2 * TWINS].reshape(-1, TWINS, 2).unbind(2)
        loss = loss + _SHARE * (_MARGIN - right + wrong).clamp(min=0).mean()
    if bool((places > 0).any()):        # where no answer's place is known, "nowhere" would be all there is to learn
        told = model.places(hidden, types, mask)
        begin, end = (cross_entropy(told[..., n], places[:, n], ignore_index=UNKNOWN) for n in (0, 1))
        loss = loss + _SHARE * (begin + end) / 2
    return loss


def drop(bert: TrainableBert, share: float) -> None:
    """From now on what the embeddings and each layer add is dropped out where gradients are taken."""

    def dropped(module: nn.Module, given: Any, made: Tensor) -> Tensor:
        return dropout(made, share, torch.is_grad_enabled())

    adding: list[Any] = [bert.embeddings.LayerNorm]
    layer: Any
    for layer in bert.encoder.layer:
        adding += [layer.attention["output"]["dense"], layer.output["dense"]]
    for one in adding:
        one.register_forward_hook(dropped)
