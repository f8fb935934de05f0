"""Scores of a judge for pairs laid end to end: its layers in the numbers of the place, figures and heads in floats of
32 bits."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vouch.adapters.models.attention import Rows, SlotRange, attention_of
from vouch.adapters.models.encoder import Placement
from vouch.adapters.models.folder import ModelFolder
from vouch.adapters.models.forward import Bert, laid_end_to_end
from vouch.adapters.models.passes import Form
from vouch.adapters.models.scorers.judge import load_judge

if TYPE_CHECKING:
    from torch import Tensor

    from vouch.adapters.models.scorers.joint import JointBert

# Pairs as a cross-encoder's tokens, each with its kind in the last bit → the score of each.
Scores = Callable[[Form, Sequence[Sequence[int]]], list[float]]


def judge_scores(folder: Path, place: Placement) -> Scores:
    """Raises ModelDown where the folder holds no judge of the encoder that is installed."""
    import torch

    judge = load_judge(folder).to(place.device)
    kind = {"float32": torch.float32, "bfloat16": torch.bfloat16}[place.dtype]
    bert = Bert(judge.bert.state_dict(), ModelFolder.open(folder).json("config.json"), kind, place.device)

    def scores(form: Form, pairs: Sequence[Sequence[int]]) -> list[float]:
        typed, places, spans = laid_end_to_end(pairs, form.room, 0)
        typed, places = typed.to(place.device), places.to(place.device)
        attention = attention_of(form, spans, place.device)
        types = typed % 2
        with torch.inference_mode():
            hidden = bert(typed // 2, places, attention, types).float()
            if isinstance(attention, Rows):
                return _at_once(judge, hidden, types, attention)[: len(pairs)]
            return _one_by_one(judge, hidden, types, spans)

    return scores


def _one_by_one(judge: "JointBert", hidden: "Tensor", types: "Tensor", spans: Sequence[SlotRange]) -> list[float]:
    import torch

    rows = [(hidden[None, a:b], types[None, a:b]) for a, b in spans]
    return [float(judge.judge(one, its_types, torch.ones_like(its_types))) for one, its_types in rows]


def _at_once(judge: "JointBert", hidden: "Tensor", types: "Tensor", rows: Rows) -> list[float]:
    """In the blocks of the layers. Those rows that hold no pair have scores that mean nothing."""
    import torch

    scores = []
    for block in rows.blocks:
        shape = block.filled.shape
        scores.append(judge.judge(hidden[block.slots].view(*shape, -1), types[block.slots].view(shape), block.filled))
    found: list[float] = torch.cat(scores).cpu().tolist()
    return found
