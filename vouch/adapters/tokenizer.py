"""The encoder's tokenizer alone: counts and cuts text without loading a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer as _Tokenizer

from vouch.adapters.model_folder import ModelFolder, default_model_dir
from vouch.errors import ModelDown

__all__ = ["FastTokenizer", "default_model_dir", "load_tokenizer"]


class FastTokenizer:
    """Implements the Tokenizer port over a folder's tokenizer.json."""

    def __init__(self, tokenizer: _Tokenizer, limit: int) -> None:
        self._tokenizer = tokenizer
        self._limit = limit

    @property
    def limit(self) -> int:
        return self._limit

    def spans(self, text: str) -> list[tuple[int, int]]:
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return [(int(start), int(end)) for start, end in offsets]

    def inputs(self, texts: Sequence[str]) -> list["Input"]:
        room = self._limit - self._tokenizer.num_special_tokens_to_add(False)
        result = []
        for text, one in zip(texts, self._tokenizer.encode_batch(list(texts), add_special_tokens=False), strict=True):
            one.truncate(room)
            whole = self._tokenizer.post_process(one)
            special = [bool(flag) for flag in whole.special_tokens_mask]
            spoken = [any(map(str.isalnum, text[start:end])) for start, end in whole.offsets]
            result.append(Input(
                ids=list(whole.ids),
                tokens=[i for i, flag in enumerate(special) if not flag],
                words=[i for i, flag in enumerate(special) if not flag and spoken[i]],
            ))
        return result


@dataclass(frozen=True, slots=True)
class Input:
    """What the model is given for one text: at most `limit` ids, and the places of its tokens and its words.

    `tokens` leaves special tokens out, `words` punctuation as well.
    """

    ids: list[int]
    tokens: list[int]
    words: list[int]


def load_tokenizer(model_dir: Path | None = None) -> FastTokenizer:
    """The tokenizer of a model folder (None: the default model's). Raises ModelDown if it cannot be read."""
    folder = ModelFolder.open(model_dir)
    file = folder.path / "tokenizer.json"
    try:
        tokenizer = _Tokenizer.from_file(str(file))
    except Exception as error:          # the package raises bare Exception
        raise ModelDown(f"{file} cannot be read: {error}", cure="restore the model folder") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True   # "[SEP]" written in a document is text, not structure
    return FastTokenizer(tokenizer, folder.limit)
