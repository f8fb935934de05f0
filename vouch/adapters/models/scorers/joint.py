"""A BERT in torch that reads question and passage together: what a judge is trained from.

Where a judge serves, the layers are those of `vouch/adapters/models/forward.py`, and the heads those of this module.

The vector head alone learns nothing for thousands of pairs. So the score
begins as what the untrained token vectors know: the cosine of both means, and
mean, least and deviation of each question token's nearest passage token
(MaxSim: Khattab and Zaharia 2020, arXiv 2004.12832), weighted by a logistic
regression. The vector head begins at zero and is added; so is the head that
says where the answer begins and ends, as in SQuAD.

Its parameters have the names that checkpoints have. transformers has the
same, and takes seconds to import that a question from a shell would wait for;
a test compares what both make of the same rows. The equations are those of
Devlin et al. 2019 (arXiv 1810.04805), without dropout.

torch is imported with this module: import it where a model is needed, not before.
"""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize, scaled_dot_product_attention

from vouch.errors import ModelDown

Config = dict[str, Any]


class TrainableBert(nn.Module):
    """`size`: of a token's vector."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.size = int(config["hidden_size"])
        self.embeddings = _Embeddings(config)
        self.encoder = _Layers(config)

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """(rows, tokens) each → (rows, tokens, size)."""
        hidden: Tensor = self.encoder(self.embeddings(ids, types), mask[:, None, None, :].bool())
        return hidden


class _Embeddings(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        size = int(config["hidden_size"])
        self.word_embeddings = _table(int(config["vocab_size"]), size)
        self.position_embeddings = _table(int(config["max_position_embeddings"]), size)
        self.token_type_embeddings = _table(int(config["type_vocab_size"]), size)
        self.LayerNorm = _norm(config)

    def forward(self, ids: Tensor, types: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        told: Tensor = self.LayerNorm(
            self.word_embeddings(ids) + self.token_type_embeddings(types) + self.position_embeddings(places))
        return told


class _Layers(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(config) for _ in range(int(config["num_hidden_layers"])))

    def forward(self, hidden: Tensor, visible: Tensor) -> Tensor:
        for one in self.layer:
            hidden = one(hidden, visible)
        return hidden


class _Layer(nn.Module):
    """Self-attention and feed-forward, each followed by residual and layer norm."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        size, inner = int(config["hidden_size"]), int(config["intermediate_size"])
        self.heads = int(config["num_attention_heads"])
        reads = nn.ModuleDict({name: nn.Linear(size, size) for name in ("query", "key", "value")})
        self.attention = nn.ModuleDict({"self": reads, "output": _output(size, config)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(size, inner)})
        self.output = _output(inner, config)

    def forward(self, hidden: Tensor, visible: Tensor) -> Tensor:
        seen = _added(self.attention["output"], self._attend(hidden, visible), hidden)
        return _added(self.output, gelu(self.intermediate["dense"](seen)), seen)

    def _attend(self, hidden: Tensor, visible: Tensor) -> Tensor:
        rows, tokens, size = hidden.shape
        reads = self.attention["self"]
        query, key, value = (reads[name](hidden).view(rows, tokens, self.heads, -1).transpose(1, 2)  # type: ignore[index]
                             for name in ("query", "key", "value"))
        return scaled_dot_product_attention(query, key, value, visible).transpose(1, 2).reshape(rows, tokens, size)


def _table(rows: int, size: int) -> nn.Embedding:
    """Without first numbers: to draw some on the device `meta`, torch imports its compiler and sympy, over a second."""
    return nn.Embedding(rows, size, _weight=torch.empty(rows, size))


def _norm(config: Config) -> nn.LayerNorm:
    return nn.LayerNorm(int(config["hidden_size"]), eps=float(config.get("layer_norm_eps", 1e-12)))


def _output(inner: int, config: Config) -> nn.ModuleDict:
    return nn.ModuleDict({"dense": nn.Linear(inner, int(config["hidden_size"])), "LayerNorm": _norm(config)})


def _added(output: Any, grown: Tensor, before: Tensor) -> Tensor:
    found: Tensor = output["LayerNorm"](output["dense"](grown) + before)
    return found


def read_bert(folder: Path) -> TrainableBert:
    """The model of the folder, as floats of 32 bits, without the pooling layer that MiniLM never trained.

    Raises ModelDown where the folder holds another kind.
    """
    from safetensors.torch import load_file

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") != "bert" or config.get("hidden_act", "gelu") != "gelu":
        raise ModelDown(f"{folder} holds no BERT that a judge can begin with", cure="take the encoder that comes along")
    with torch.device("meta"):
        model = TrainableBert(config)
    wanted = model.state_dict().keys()
    stored = {name.removeprefix("bert."): tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    if missing := sorted(wanted - stored.keys()):
        raise ModelDown(f"{folder} lacks weights, first {missing[0]}", cure="make setup")
    model.load_state_dict({name: stored[name].float() for name in wanted}, assign=True)
    return model


FEATURES = 4
_NOT_SEEN, _MOST_ODDS = -1e4, 30.0


class JointBert(nn.Module):
    """Logits of pairs; `scale` holds mean and deviation of the four figures over the pairs it began with."""

    scale: Tensor

    def __init__(self, bert: TrainableBert) -> None:
        super().__init__()
        self.bert = bert
        self.figures = nn.Linear(FEATURES, 1)
        self.vector = nn.Linear(3 * bert.size, 1, bias=False)
        self.place = nn.Linear(bert.size, 2)
        self.placed = nn.Linear(1, 1, bias=False)
        for head in (self.vector, self.place, self.placed):
            for numbers in head.parameters():
                nn.init.zeros_(numbers)
        self.register_buffer("scale", torch.stack([torch.zeros(FEATURES), torch.ones(FEATURES)]))

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """(rows, tokens) each → (rows,). Types are 0 for the question and 1 for the passage."""
        return self.judge(self.bert(ids, types, mask), types, mask)

    def judge(self, hidden: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """Like `forward`, from the token vectors that the layers made (rows, tokens, hidden size)."""
        figures, vector = head_inputs(hidden, types, mask)
        mean, deviation = self.scale[0], self.scale[1]
        inside = self.places(hidden, types, mask)
        found: Tensor = self.figures((figures - mean) / deviation) + self.vector(vector) + self.placed(_found(inside))
        return found.squeeze(-1)

    def places(self, hidden: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """(rows, tokens, 2): how likely the answer begins, and ends, at each token of the passage; at token 0: nowhere.
        """
        seen = _words(types, mask)[1]
        seen[:, 0] = True
        told: Tensor = self.place(hidden).float().masked_fill(~seen[..., None], _NOT_SEEN)
        return told

    def read(self, ids: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """What the heads are given."""
        return head_inputs(self.bert(ids, types, mask), types, mask)


def head_inputs(hidden: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The four figures (rows, 4), and what the vector head reads (rows, 3 · hidden size)."""
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


def _found(places: Tensor) -> Tensor:
    """(rows, 1): the log-odds that the answer is somewhere, begin and end added (Devlin et al. 2019, section 4.3)."""
    odds = places[:, 1:].logsumexp(1) - places[:, 0]
    return odds.sum(-1, keepdim=True).clamp(-_MOST_ODDS, _MOST_ODDS)


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
