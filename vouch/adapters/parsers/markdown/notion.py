"""Pages exported from Notion: the list of their properties is of no use in an answer."""

import re

from vouch.documents.document import Block

_PROPERTY = re.compile(r"[^\s:][^:\n]{0,60}:(?:[ \t][^\n]*)?")
_KEPT_BY_NOTION = re.compile(r"^(?:created|last edited)(?: time| by)?:", re.IGNORECASE | re.MULTILINE)


def without_properties(text: str, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks without the paragraph of properties (`Created: …`, `Owner: …`) right under the first heading.

    It is one if each of its lines is `Name: value` and one of the names is
    of those that Notion itself keeps. So it is told by what the page says;
    the name of its file decides nothing.
    """
    if len(blocks) < 2 or blocks[0].kind != "heading" or blocks[1].kind != "paragraph":
        return blocks
    words = text[blocks[1].start : blocks[1].end]
    if not _KEPT_BY_NOTION.search(words) or not all(map(_PROPERTY.fullmatch, words.splitlines())):
        return blocks
    return (blocks[0], *blocks[2:])
