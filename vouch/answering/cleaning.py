"""Words safe to show: without links of nobody's, mentions and characters that cannot be seen."""

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
