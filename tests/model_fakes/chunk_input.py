"""What the models are given of a passage, put together by its document's text."""

from vouch.documents.chunk import Chunk, chunk_header, model_input


def chunk_input(document_text: str, chunk: Chunk) -> str:
    return model_input(chunk.section, document_text[chunk.start : chunk.end], chunk_header(document_text, chunk))
