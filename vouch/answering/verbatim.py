"""Disarming that leaves exactly quoted code alone: nothing in it becomes a link or a mention."""

import re

from vouch.answering.cleaning import disarm, visible

_HOLD = "\ua66e"                        # a letter of one old manuscript: stands for a piece that is put back
_HELD = re.compile(f"{_HOLD}(\\d+){_HOLD}")
_SPAN = re.compile(r"(?<!`)(`{1,3})(?!`)[^\n]{1,1000}?(?<!`)\1(?!`)")
_AT_HOST = re.compile(r"(?<![\w@.+/:<-])[\w.+-]{1,64}@[\w-]{1,64}(?![\w@.:/-]*[\w@/])")
_FENCE = re.compile(r"[ \t]*(`{3,})[\w+#.-]{0,20}$")


def disarmed(text: str, cited: str) -> str:
    """`text` as `disarm` leaves it, but for code and user@host that `cited` holds letter by letter.

    Its lines and the spaces between its words stay unless something was taken out.
    """
    text, cited = visible(text), visible(cited)
    if _HOLD in text:
        return disarm(text, cited)
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        return _held(match[0], held) if match[0] in cited else match[0]

    masked = _AT_HOST.sub(hold, _SPAN.sub(hold, _without_blocks(text, cited, held)))
    return _HELD.sub(lambda match: held[int(match[1])], _line_by_line(masked, cited))


def _held(piece: str, held: list[str]) -> str:
    held.append(piece)
    return f"{_HOLD}{len(held) - 1}{_HOLD}"


def _without_blocks(text: str, cited: str, held: list[str]) -> str:
    """`text` with each fenced block held whose lines stand in `cited`."""
    found: list[str] = []
    block: list[str] = []
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if block:
            block.append(line)
            if fence and fence[1] == _fence_of(block[0]):
                sound = all(inner.strip() in cited for inner in block[1:-1])
                found += [_held("\n".join(block), held)] if sound else block
                block = []
        elif fence:
            block = [line]
        else:
            found.append(line)
    return "\n".join([*found, *block])


def _fence_of(line: str) -> str:
    match = _FENCE.match(line)
    return match[1] if match else ""


def _line_by_line(text: str, cited: str) -> str:
    whole = disarm(text, cited)
    if whole.split() == text.split():
        return text.strip()             # nothing was taken out
    lines = []
    for line in text.split("\n"):
        words = line.lstrip(" \t")
        lines.append(line[: len(line) - len(words)] + disarm(words, cited))
    parted = "\n".join(lines).strip()
    return parted if disarm(parted, cited).split() == parted.split() else whole
