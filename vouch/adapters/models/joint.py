"""A BERT that reads question and passage together, and says how likely the one answers the other.

The vector head alone learns nothing for thousands of pairs. So the score
begins as what the untrained token vectors know: the cosine of both means, and
mean, least and deviation of each question token's nearest passage token
(MaxSim: Khattab and Zaharia 2020, arXiv 2004.12832), weighted by a logistic
regression. The vector head begins at zero and is added.

torch is imported with this module: import it where a model is needed, not before.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from vouch.adapters.models.trainable_bert import TrainableBert

FEATURES = 4


class JointBert(nn.Module):
    """Logits of pairs; `scale` holds mean and deviation of the four figures over the pairs it began with."""

    scale: Tensor

    def __init__(self, bert: TrainableBert) -> None:
        super().__init__()
        self.bert = bert
        self.figures = nn.Linear(FEATURES, 1)
        self.vector = nn.Linear(3 * bert.size, 1, bias=False)
        nn.init.zeros_(self.vector.weight)
        self.register_buffer("scale", torch.stack([torch.zeros(FEATURES), torch.ones(FEATURES)]))

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """(rows, tokens) each → (rows,). Types are 0 for the question and 1 for the passage."""
        figures, vector = self.read(ids, types, mask)
        mean, deviation = self.scale[0], self.scale[1]
        found: Tensor = self.figures((figures - mean) / deviation) + self.vector(vector)
        return found.squeeze(-1)

    def read(self, ids: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The four figures (rows, 4), and what the vector head reads (rows, 3 · hidden size)."""
        hidden = self.bert(ids, types, mask)
        question, passage = _words(types, mask)
        q, p = _mean(hidden, question), _mean(hidden, passage)
        unit = normalize(hidden, dim=-1)
        near = (unit @ unit.transpose(1, 2)).masked_fill(~passage[:, None, :], -1.0).amax(-1)      # per token
        count = question.sum(1).clamp(min=1)
        mean = (near * question).sum(1) / count
        least = near.masked_fill(~question, 1.0).amin(1)
        deviation = (((near - mean[:, None]) ** 2 * question).sum(1) / count + 1e-8).sqrt()
        cosine = (normalize(q, dim=-1) * normalize(p, dim=-1)).sum(-1)
        figures = torch.stack([cosine, mean, least, deviation], 1)
        return figures.float(), torch.cat([hidden[:, 0], q * p, (q - p).abs()], 1).float()


def _words(types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Tokens of the question and of the passage, without the one before each and the one behind."""
    here = mask.bool()
    passage = here & (types == 1)
    passage = passage & torch.cat([passage[:, 1:], torch.zeros_like(passage[:, :1])], 1)
    question = here & (types == 0)
    question = question & torch.cat([question[:, 1:], torch.zeros_like(question[:, :1])], 1)
    question[:, 0] = False
    return question, passage


def _mean(hidden: Tensor, wanted: Tensor) -> Tensor:
    return (hidden * wanted[..., None]).sum(1) / wanted.sum(1, keepdim=True).clamp(min=1)
