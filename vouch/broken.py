"""What is wrong with bytes that should be text, JSON or compressed data, in words for people instead of Python's."""

import gzip
import json
import zipfile
import zlib


def broken(error: BaseException) -> str:
    """What such an error says and where, empty for any other: `not JSON at line 1, column 5`."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON at {_place(error.doc.rstrip(), error.pos)}"
    if isinstance(error, UnicodeDecodeError):
        return f"not {error.encoding.upper()} text at byte {error.start}"
    if isinstance(error, UnicodeEncodeError):
        return "half of a character (a lone surrogate, \\ud800 to \\udfff)"
    if isinstance(error, EOFError):
        return "it ends too early"
    if isinstance(error, zlib.error | gzip.BadGzipFile | zipfile.BadZipFile):
        return "its compressed data is damaged"
    return ""


def _place(text: str, at: int) -> str:
    """Of a text of one line the column alone, counted from 1."""
    at = min(at, len(text))
    column = f"column {at - text.rfind(chr(10), 0, at)}"
    return f"line {text.count(chr(10), 0, at) + 1}, {column}" if "\n" in text.lstrip() else column
