"""The one place where words of documents, people, and models are made harmless for Slack.

In a markdown block Slack reads `<…>` as a mention or a link, `[…](…)` as a link, and an address as a link of its own.
What leaves here has none of these: it shows the same letters, and does nothing.
"""

import re
from urllib.parse import urlsplit

from vouch.documents.text.legible import shown

_JOINER = "\u2060"                      # shows nothing, and what stands on its two sides is no address any more
_BLANKS = re.compile(r"^[ \t]+|[ \t]{2,}", re.MULTILINE)     # by these Markdown knows code
_NEW_LINE = "  \n"                      # Markdown joins lines that end otherwise
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MARKS = frozenset("\\`*_~|")
_OPENS_A_LINK = frozenset("([:")         # behind a closing bracket
_ADDRESS = re.compile(r"://|@|\bwww\.|\b(?:mailto|tel|slack|javascript|data):", re.IGNORECASE)
_BARE = re.compile(r"(?<=\w)\.(?=[^\W\d_]{2})")         # as in acme.test, and in travel.md, which could be one, too
_LONGEST_LINK = 2000
_NO_ADDRESS = frozenset(" <>|\"'`\\")


def markdown(text: str, most: int = 1_000_000) -> tuple[str, bool]:
    """As the text of a markdown block: it shows `text` line by line, and holds no mention, no link, and no code.

    At most `most` characters, cut behind a word; and whether that is all of it.
    """
    flush = _BLANKS.sub(lambda found: "\u00a0" * len(found[0]), shown(text))
    apart = f"\n{_no_domain(_apart(flush))}\n"
    signs = [_sign(*near) for near in zip(apart, apart[1:], apart[2:], strict=False)]
    if sum(map(len, signs)) <= most:
        return "".join(signs), True
    end, last, size = 0, 0, 0
    while size + len(signs[end]) <= most:
        size += len(signs[end])
        end += 1
        last = end if signs[end].isspace() else last
    return "".join(signs[: last or end]), False


def plain(text: str) -> str:
    """As the `text` of a message, which is read in notifications."""
    return "".join(_ENTITIES.get(char, char) for char in _no_domain(_apart(shown(text))))


def literal(text: str) -> str:
    """As the text of an element that Slack does not read: plain_text, and text in rich_text."""
    return _apart(" ".join(shown(text).split())) or "-"


def unescaped(text: str) -> str:
    """What somebody copied from a message, as it was before."""
    return text.replace(_JOINER, "")


def link(url: str | None) -> str | None:
    """The address if a citation may lead there: a plain one of the web."""
    if not url or len(url) > _LONGEST_LINK or not url.isascii() or not url.isprintable() or set(url) & _NO_ADDRESS:
        return None
    try:
        address = urlsplit(url)
        host = address.hostname
    except ValueError:
        return None
    return url if address.scheme in ("http", "https") and host and address.username is None else None


def _sign(before: str, char: str, after: str) -> str:
    if char == "\n":
        return _NEW_LINE
    heads = before == "\n" and (char in "#=" or char == after == "-")   # under a line they make it a heading
    reads = char in _MARKS or heads or (char == "]" and after in _OPENS_A_LINK)
    return _ENTITIES.get(char) or (f"\\{char}" if reads else char)


def _apart(text: str) -> str:
    """Nothing in it is an address or a name that Slack would make a link of."""
    return _ADDRESS.sub(lambda found: "".join(f"{part}{_JOINER}" for part in (found[0][0], found[0][1:]) if part), text)


def _no_domain(text: str) -> str:
    """Nor is anything in it a domain. What Slack does not read keeps its dots: people copy paths from it."""
    return _BARE.sub(f".{_JOINER}", text)
