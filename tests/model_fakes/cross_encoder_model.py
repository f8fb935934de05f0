"""Models with random weights, most of two small layers, for tests: the tokenizer is MiniLM's."""

import shutil
from pathlib import Path
from typing import Any

from vouch.adapters.models.folder import default_model_dir


def random_cross_encoder(folder: Path, labels: int = 1) -> Path:
    """The folder. Equal seeds give equal weights."""
    from transformers import BertForSequenceClassification

    return _random(folder, BertForSequenceClassification, num_labels=labels)


def random_bert(folder: Path) -> Path:
    """The folder of an encoder without a head."""
    from transformers import BertModel

    return _random(folder, BertModel)


def random_judge(folder: Path) -> Path:
    """The folder of a judge: the encoder that comes with vouch, with heads of random weights."""
    import torch

    from vouch.adapters.models.scorers.joint import JointBert, read_bert
    from vouch.adapters.models.scorers.judge import save_judge

    torch.manual_seed(7)
    model = JointBert(read_bert(default_model_dir()))
    torch.nn.init.normal_(model.vector.weight, std=0.1)
    save_judge(model, folder, {})
    return folder


def _random(folder: Path, kind: Any, **more: Any) -> Path:
    import torch  # here, as it takes seconds, and every run collects the tests that ask for this
    from transformers import BertConfig

    torch.manual_seed(7)
    config = BertConfig(vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=64, max_position_embeddings=512, initializer_range=0.4, **more)
    folder.mkdir(parents=True)
    kind(config).save_pretrained(folder, safe_serialization=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(default_model_dir() / name, folder / name)
    return folder
