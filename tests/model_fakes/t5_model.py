"""A T5 of two small layers with random weights and a tokenizer of its own, for tests."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any


def random_t5(folder: Path, words: Iterable[str], *, head: bool = True) -> Path:
    """The folder. Each of `words` is a token; equal seeds give equal weights."""
    import torch  # here, as it takes seconds, and every run collects the tests that ask for this
    from transformers import T5Config, T5ForSequenceClassification, T5Model

    known = ["<pad>", "</s>", "<unk>", "[", "]", "SEP", *sorted(set(words))]
    torch.manual_seed(7)
    config = T5Config(
        vocab_size=len(known), d_model=32, d_kv=16, d_ff=64, num_layers=1, num_decoder_layers=1, num_heads=2,
        dropout_rate=0.0, classifier_dropout=0.0, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
        num_labels=1, tie_word_embeddings=True,
    )
    kind: Any = T5ForSequenceClassification if head else T5Model
    kind(config).save_pretrained(folder, safe_serialization=True)
    _tokenizer(known).save(str(folder / "tokenizer.json"))
    return folder


def _tokenizer(known: list[str]) -> Any:
    """As those of T5, it takes `</s>` in a text for the end token, and puts one behind each text unless told."""
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors

    made = Tokenizer(models.WordLevel({word: n for n, word in enumerate(known)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens([AddedToken(one, special=True) for one in known[:3]])
    made.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>",
                                                        special_tokens=[("</s>", 1)])
    return made
