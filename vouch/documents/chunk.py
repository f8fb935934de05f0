"""A chunk: a passage of a document, its stable id, and the exact text the models are given."""

import hashlib
import re
from dataclasses import dataclass

from vouch.documents.orders import text_without_orders
from vouch.documents.text.markup import NOTHING, TAGS, Markup

SECTION_JOINT = " > "
MOST_HEADER_INPUT = 300                 # characters of a table's header that models read before its rows


@dataclass(frozen=True, slots=True)
class Chunk:
    """`text[start:end]` of a parsed document; lines count from 1, both ends included."""

    id: str
    section: tuple[str, ...]
    start: int
    end: int
    first_line: int
    last_line: int
    ordinal: int                        # position in the document, from 0
    page: int | None = None
    has_table: bool = False
    header: tuple[int, int] | None = None   # of the table that the passage begins in the middle of
    injection: bool = False             # reads as orders to a language model; see vouch.documents.instructions
    markup: Markup = NOTHING            # of text[start:end], its ranges counted from `start`


def chunk_id(source: str, path: str, section: tuple[str, ...], text: str, occurrence: int) -> str:
    """32 hex digits, a function of the current place and words alone.

    Stable under edits elsewhere in the document. The path is part of it, so
    that an id never tells a reader that the text once stood in a hidden place.
    """
    parts = (source, path, *section, text, str(occurrence))
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode()
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.hexdigest()[:32]


# Lengths are bounded, or a long text of openings that are never closed would be searched to its end for each of them.
# What a run cannot hold follows it, so nothing is ever found by giving back some of it.
_TARGET = r"\]\([^)\s]{0,2000}+(?:\s{1,20}+\"[^\"]{0,500}+\")?+\)"
_IMAGE = re.compile(r"!\[([^\]]{0,1000}+)" + _TARGET)
_LINK = re.compile(r"\[([^\]]{1,1000}+)" + _TARGET)
_TAG = re.compile(rf"</?(?:{TAGS})(?=[\s/>])[^<>]{{0,200}}>", re.IGNORECASE)
_MARKS = re.compile(r"(?<![\w*_])[*_]{1,8}(?=\S)|(?<=\S)(?<![*_])[*_]{1,8}(?![\w*_])|^#{1,6}\s+|`+", re.MULTILINE)
_SPACE = re.compile(r"[ \t]+")


def plain(text: str) -> str:
    """The words of a passage for models and search: about what is left without link targets, tags and emphasis marks.

    It guesses, as it must work for a question or half a sentence, too.
    Nobody is shown this: see vouch.documents.text.markup.
    """
    if "](" in text:                    # looked for first: most passages have none of these
        text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "*" in text or "_" in text or "#" in text or "`" in text:
        text = _MARKS.sub("", text)
    if "  " in text or "\t" in text:
        text = _SPACE.sub(" ", text)
    return text.strip()


_MARKER = re.compile(r"^[ \t]*(?:>[ \t]?)*(?:[-*+•][ \t]+)?", re.MULTILINE)
_TYPOGRAPHY = str.maketrans("‘’“”–—\u00a0", "''\"\"-- ")


def passage_input(text: str) -> str:
    """The part of `model_input` that is the passage.

    Layout and typography are evened out (spaces, list marks, curly quotes),
    so that tidying a document embeds little and either spelling is found.
    """
    return " ".join(plain(_MARKER.sub("", text)).translate(_TYPOGRAPHY).split())


def model_input(section: tuple[str, ...], text: str, header: str = "") -> str:
    """The exact text that models read of a passage: section path, then the plain passage.

    `header` is the header of the table that the passage begins in the middle
    of, which stands before it; a very long one is left out. Which words of a
    heading are capitalised changes no input, nor does a rename, as the input
    holds nothing of the document's place.
    """
    heading = " ".join(map(_uncapitalised, SECTION_JOINT.join(section).translate(_TYPOGRAPHY).split(" ")))
    passage = passage_input(f"{header}\n{text}" if header and len(header) <= MOST_HEADER_INPUT else text)
    return f"{heading}\n{passage}" if heading else passage


def indexed_input(section: tuple[str, ...], text: str, header: str = "", *, injection: bool = False) -> str:
    """The exact text that is embedded and indexed: `model_input`, without the orders that an `injection` gives."""
    return model_input(section, text_without_orders(text) if injection else text, header)


def _uncapitalised(word: str) -> str:
    """Headings are written now "Making A Career", now "Making a career"; names such as GitHub and SRE stay."""
    return word.lower() if word[1:] == word[1:].lower() else word


def chunk_header(document_text: str, chunk: Chunk) -> str:
    return "" if chunk.header is None else document_text[chunk.header[0] : chunk.header[1]]
