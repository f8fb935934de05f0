"""A cross-encoder of two small layers with random weights, for tests: the tokenizer is MiniLM's."""

import shutil
from pathlib import Path

import torch
from transformers import BertConfig, BertForSequenceClassification

from vouch.adapters.models.folder import default_model_dir


def random_cross_encoder(folder: Path, labels: int = 1) -> Path:
    """The folder. Equal seeds give equal weights."""
    torch.manual_seed(7)
    config = BertConfig(vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=64, num_labels=labels, max_position_embeddings=512, initializer_range=0.4)
    folder.mkdir(parents=True)
    BertForSequenceClassification(config).save_pretrained(folder, safe_serialization=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(default_model_dir() / name, folder / name)
    return folder
