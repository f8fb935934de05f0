"""Fixtures of the documents room: the real tokenizer, and a way from text to chunks."""

from collections.abc import Callable

import pytest

from vouch.adapters.models.tokenizer import FastTokenizer, load_tokenizer
from vouch.adapters.parsers.markdown.parser import parse_markdown
from vouch.chunking.document_chunks import chunk_document
from vouch.documents.chunk import Chunk


@pytest.fixture(scope="session")
def tokenizer() -> FastTokenizer:
    return load_tokenizer(None)


@pytest.fixture(scope="session")
def cut(tokenizer: FastTokenizer) -> Callable[..., tuple[Chunk, ...]]:
    def chunks(text: str, path: str = "a.md", **sizes: int) -> tuple[Chunk, ...]:
        return chunk_document("handbook", path, parse_markdown(text), tokenizer, **sizes)

    return chunks
