"""The encoder's tokenizer alone: counts and cuts text without loading a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer as _Tokenizer
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from vouch.adapters.models.folder import ModelFolder, default_model_dir
from vouch.errors import ModelDown

__all__ = ["FastTokenizer", "default_model_dir", "load_tokenizer"]

_LONGEST, _CACHED = 64, 100_000         # characters of a word whose count is kept, and how many are


class FastTokenizer:
    """Implements the Tokenizer port over a folder's tokenizer.json."""

    def __init__(self, tokenizer: _Tokenizer, limit: int) -> None:
        self._tokenizer = tokenizer
        self._limit = limit
        # BERT's rules know no token that reaches over a space: counts of words then add up.
        self._by_words = (isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
                          and isinstance(tokenizer.normalizer, BertNormalizer))
        self._known: dict[str, int] = {}

    @property
    def limit(self) -> int:
        return self._limit

    def spans(self, text: str) -> list[tuple[int, int]]:
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return [(int(start), int(end)) for start, end in offsets]

    def count(self, text: str) -> int:
        if not self._by_words:
            return len(self._tokenizer.encode(text, add_special_tokens=False))
        words = text.split(" ")
        counts = list(map(self._known.get, words))
        if None in counts:
            counts = [self._learn(word) if count is None else count for word, count in zip(words, counts, strict=True)]
        return sum(counts)  # type: ignore[arg-type]

    def _learn(self, word: str) -> int:
        count = len(self._tokenizer.encode(word, add_special_tokens=False))
        if len(word) <= _LONGEST:
            if len(self._known) >= _CACHED:
                self._known.clear()
            self._known[word] = count
        return count

    def inputs(self, texts: Sequence[str], prompt: str = "") -> list["Input"]:
        """What the model is given for each text, after `prompt`."""
        room = self._limit - self._tokenizer.num_special_tokens_to_add(False)
        prompted = [prompt + text for text in texts]
        result = []
        for text, coded in zip(prompted, self._tokenizer.encode_batch(prompted, add_special_tokens=False), strict=True):
            coded.truncate(room)
            whole = self._tokenizer.post_process(coded)
            own = [i for i, (flag, (_, end)) in enumerate(zip(whole.special_tokens_mask, whole.offsets, strict=True))
                   if not flag and end > len(prompt)]
            spoken = [_is_spoken(text[start:end]) for start, end in whole.offsets]
            result.append(Input(ids=list(whole.ids), tokens=own, words=[i for i in own if spoken[i]]))
        return result


def _is_spoken(token: str) -> bool:
    """Whether it holds a letter or a digit."""
    return token.isalnum() or any(map(str.isalnum, token))


@dataclass(frozen=True, slots=True)
class Input:
    """What the model is given for one text: at most `limit` ids, and the places of its tokens and its words.

    `tokens` leaves special tokens and the prompt out, `words` punctuation as well.
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
