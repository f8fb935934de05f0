"""Names that would deceive or disturb whoever sees them: on a terminal, in a list, in a citation."""

import unicodedata

MOST_PATH = 4096                        # bytes, as most systems have it
_BIDI = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CATEGORIES = frozenset(("Cc", "Zl", "Zp", "Cs"))


def odd_name(path: str) -> str:
    """Why nothing at `path` is taken for a document; empty if its name is fine."""
    if path.isascii() and path.isprintable() and len(path) <= MOST_PATH:
        return ""
    if len(path.encode(errors="surrogatepass")) > MOST_PATH:
        return f"path is longer than {MOST_PATH:,} bytes"
    if any(c in _BIDI for c in path):
        return "name reverses the direction of writing"
    categories = {unicodedata.category(c) for c in path}
    if "Cs" in categories:
        return "name is not UTF-8"
    return "name holds line breaks or control characters" if categories & _CATEGORIES else ""


def shown_name(path: str) -> str:
    """`path` on one line, with nothing in it that a terminal would act on; cut where nobody reads on."""
    cut = path if len(path) <= MOST_PATH else f"{path[:200]}…"
    return "".join(c if c not in _BIDI and unicodedata.category(c) not in _CATEGORIES else _escaped(c) for c in cut)


def _escaped(character: str) -> str:
    if unicodedata.category(character) == "Cs":
        raw = character.encode(errors="surrogateescape") if "\udc80" <= character <= "\udcff" else b""
        return raw.decode(errors="backslashreplace") or f"\\u{ord(character):04x}"
    return character.encode("unicode_escape").decode()
