"""Replies of models: the JSON in them, and a draft whose quotes are found again in the evidence."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from vouch.ports.language import DraftSentence, Evidence

THOUGHT = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)
_LONGEST = 200_000                      # characters, thoughts included; the longest reply asked for is far shorter
_TRIES = 500                            # braces that may turn out to begin no object
_DECODER = json.JSONDecoder()


def last_object(content: str) -> str:
    """The last JSON object in it, without thoughts that were written before it; all of it where there is none, or
    where it ends as an array, as none of that is the one that was asked for."""
    return content if content.rstrip("` \n").endswith("]") else next(objects(content), content)


def objects(content: str) -> Iterator[str]:
    """Every JSON object after the thoughts, the last one first: what comes before it leads up to it.

    Thoughts end at the first `</think>` after which there is an object; a reply that begins with its object has none.
    """
    if len(content) > _LONGEST:
        return
    for text in _after_thoughts(content.strip()):
        json_objects = _found(text)
        yield from reversed(json_objects)
        if json_objects:
            return


def _after_thoughts(content: str) -> Iterator[str]:
    """What thinks and never comes to an end has said nothing."""
    if content.startswith("{"):
        yield content
        return
    marks = list(THOUGHT.finditer(content))
    if not marks:
        yield content
    for mark in marks:
        if mark[0].startswith("</"):
            yield content[mark.end():]


def _found(text: str) -> list[str]:
    json_objects: list[str] = []
    at = text.find("{")
    for _ in range(_TRIES):
        if at < 0:
            break
        try:
            _, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            json_objects.append(text[at:end])
        at = text.find("{", end)
    return json_objects


_LONGEST_QUOTE = 50_000                       # characters; the longest answer that can be asked for is far shorter
_WORD = re.compile(r"\w+|[^\w\s]")
_ALIKE = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "\u00a0": " "})
_MARKUP = frozenset("*_`#[]()<>|")


class _Citation(BaseModel):
    model_config = ConfigDict(strict=True)
    passage: int
    quote: str


class _Sentence(BaseModel):
    model_config = ConfigDict(strict=True)
    text: str
    citations: list[_Citation]


class Reply(BaseModel):
    model_config = ConfigDict(strict=True)
    sentences: list[_Sentence]
    reason: str = ""
    verdict: Literal["answers", "partly", "no"] | None = None
    thoughts: str = ""                  # for nobody but the model itself


def read_reply(content: str) -> Reply | None:
    """The reply's JSON, also after thoughts, in a code fence, or with chatter around it; None if there is none."""
    for text in objects(content):
        try:
            return Reply.model_validate_json(text) if len(text) <= _LONGEST_QUOTE else None
        except ValidationError:
            continue
    return None


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Where `quote` stands in `text`: exactly, or but for white space, typographic signs and Markdown marks."""
    quote = quote.strip()
    at = text.find(quote) if quote else -1
    if at >= 0:
        return at, at + len(quote)
    wanted = [token for token, _, _ in _tokens(quote)]
    have = _tokens(text)
    for i in range(len(have) - len(wanted) + 1) if wanted else ():
        if [token for token, _, _ in have[i:i + len(wanted)]] == wanted:
            return have[i][1], have[i + len(wanted) - 1][2]
    return None


def _tokens(text: str) -> list[tuple[str, int, int]]:
    return [(m[0].translate(_ALIKE).casefold(), *m.span()) for m in _WORD.finditer(text) if m[0] not in _MARKUP]


def draft_sentences(reply: Reply, evidence: Sequence[Evidence]) -> tuple[tuple[DraftSentence, ...], tuple[str, ...]]:
    """The reply's sentences with the places of their quotes, and a warning for each quote or sentence left out."""
    passages = {piece.number: piece.passage.text for piece in evidence}
    sentences, warnings = [], []
    for position, sentence in enumerate(reply.sentences, 1):
        places = []
        for citation in sentence.citations:
            text = passages.get(citation.passage)
            span = find_quote(text, citation.quote) if text is not None else None
            if span is None:
                what = "words that are not there" if text is not None else f"passage {citation.passage}, not given"
                warnings.append(f"the model cited {what} in sentence {position}")
            else:
                places.append((citation.passage, *span))
        if places:
            sentences.append(DraftSentence(sentence.text, tuple(dict.fromkeys(places))))
        else:
            warnings.append(f"sentence {position} of the model was left out: it cites nothing that is there")
    return tuple(sentences), tuple(warnings)
