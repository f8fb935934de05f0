"""Whether a message calls vouch by its name in plain letters: "vouch, what is …" and "…, vouch?". Pure."""

import re

_NAME = r"(?:(?:hi|hello|hey|ok|okay|so|thanks)\b[,!]?\s{1,3})?vouch"
_ASKS = r"(?:what|what's|whats|when|where|which|who|whom|whose|why|how|help|please|explain|tell me)\b"
# Without a comma it may be the verb, or said of vouch: "vouch for Ana", "vouch is down".
_FIRST = re.compile(rf"\A\s{{0,9}}{_NAME}(?:\s{{0,3}}[,:]\s{{0,9}}|\s{{1,9}}(?={_ASKS}))(?=\S)", re.IGNORECASE)
_LAST = re.compile(r"(?<=\w)\s?,\s{0,9}vouch(?=\s{0,3}[?!.]{0,3}\s{0,9}\Z)", re.IGNORECASE)


def calls_by_name(text: str) -> bool:
    return _FIRST.search(text) is not None or _LAST.search(text) is not None


def without_name(text: str) -> str:
    """What is said to it."""
    return _LAST.sub("", _FIRST.sub("", text))
