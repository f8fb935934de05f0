"""Words safe to show: no links of nobody's, no mentions, nothing unseen; quoted code stays as it is."""

import re
import unicodedata

# A name with dots is looked at once, from its beginning, and the innermost brackets first: each search is linear.
_ADDRESS = re.compile(
    r"""(?:[a-z][a-z0-9+.-]{0,30}+://|www\.|mailto:)[^\s<>|"'`)\]}]+
    |(?<![a-z0-9])(?:(?<![a-z0-9]\.)|(?=-))(?:[\w.+-]{1,64}+@)?
     (?<![a-z0-9-])-*+(?:[a-z0-9]++(?:-++[a-z0-9]++)*+\.)+[a-z]{2,24}(?:[/:?#][^\s<>|"'`)\]}]*)?
    |://|mailto:|(?<!@)@++(?=\w)|(?<!<)<++(?=[!@#])|(?<=\])\((?:\(++|(?=\S))""",
    re.IGNORECASE | re.VERBOSE,
)
_SCRAPS = frozenset({"://", "mailto:"})                       # parts of links that stand alone
_TARGET = re.compile(r"!?\[([^\[\]]*+)\]\([^()]*+\)")
_ANGLE = re.compile(
    r"<[!@#][^<>\s|]*+(?:\|([^<>]*+))?>|<([a-z][a-z0-9+.-]*+:[^<>|]*+)(?:\|([^<>]*+))?>", re.IGNORECASE
)
_SPACE = re.compile(r"[ \t]{2,}")
_PASSES = 8
_JOINTS = str.maketrans(dict.fromkeys("@:/.<>[]()|", " "))    # without these nothing is a link or a mention


def visible(text: str) -> str:
    """Without zero-width, bidirectional and control characters; line ends and tabs stay."""
    if text.replace("\n", "").replace("\t", "").isprintable():     # nearly every text, in a hundredth of the time
        return text
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cf", "Cc", "Co", "Cs"))


def _trim(address: str) -> str:
    """Empty for a row of marks that stand alone."""
    return address if address in _SCRAPS else address.lstrip("-@<(").rstrip(".,;:!?…*_")


def addresses(text: str) -> set[str]:
    """Every URL, bare domain and mail address in `text`."""
    return {_trim(match[0]) for match in _ADDRESS.finditer(text)} - _SCRAPS - {""}


def disarm(text: str, cited: str) -> str:
    """`text` with only such addresses as `cited` holds, and with nothing that a chat would turn into a mention."""
    allowed = addresses(visible(cited))

    def keep(match: re.Match[str]) -> str:
        address = _trim(match[0])
        before, _, after = match[0].partition(address) if address else ("", "", "")
        return match[0] if address in allowed else before + after

    def unwrap(match: re.Match[str]) -> str:
        return match[2] if match[2] and _trim(match[2]) in allowed else match[1] or match[3] or ""

    text, before, passes = visible(text), "", 0
    while text != before:               # taking something out may join its two sides into something new
        before, passes = text, passes + 1
        if passes > _PASSES:            # nobody writes so by accident
            text = text.translate(_JOINTS)
        text = _ADDRESS.sub(keep, _ANGLE.sub(unwrap, _TARGET.sub(r"\1", text)))
        text = _SPACE.sub(" ", text).strip()
    return text


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
    held_parts: list[str] = []

    def hold(match: re.Match[str]) -> str:
        return _held(match[0], held_parts) if match[0] in cited else match[0]

    masked = _AT_HOST.sub(hold, _SPAN.sub(hold, _without_blocks(text, cited, held_parts)))
    return _HELD.sub(lambda match: held_parts[int(match[1])], _line_by_line(masked, cited))


def _held(piece: str, held: list[str]) -> str:
    held.append(piece)
    return f"{_HOLD}{len(held) - 1}{_HOLD}"


def _without_blocks(text: str, cited: str, held: list[str]) -> str:
    """`text` with each fenced block held whose lines stand in `cited`."""
    lines: list[str] = []
    block: list[str] = []
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if block:
            block.append(line)
            if fence and fence[1] == _fence_of(block[0]):
                sound = all(inner.strip() in cited for inner in block[1:-1])
                lines += [_held("\n".join(block), held)] if sound else block
                block = []
        elif fence:
            block = [line]
        else:
            lines.append(line)
    return "\n".join([*lines, *block])


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
