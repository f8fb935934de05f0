"""Is a reply that names nobody, in a thread that vouch has joined, meant for vouch? By its form; in doubt it is not.

People go on talking to one another there. docs/slack.md has the figures.
"""

import re

from bots.slack.channels.gate import among_people, asks_for_documents, opening
from bots.slack.reading import without_emoji
from vouch.documents.text.capitals import CAPITALS

_LONGEST = 15                           # words of a follow-up
_SENTENCE = re.compile(r"[^.!?\n]{1,500}\?")
_TO_SOMEBODY = re.compile(              # "Ana, …" and "…, Ana?"
    r"(?!(?:And|Also|But|Or|So|Then|Well|Ok|Okay|OK|Yes|No|Thanks|Thank|Sorry|Great|Hi|Hello|Hey)\b)"
    rf"[{CAPITALS}][\w'-]{{1,40}},\s|.*,\s[{CAPITALS}][\w'-]{{1,40}}\s?[?!.]*$", re.DOTALL)
_PREPOSITION = r"(?:for|in|at|with|without|after|before|during|from|within|under|over|abroad)\b"
_ABOUT = rf"(?:(?:what|how) about\b|and {_PREPOSITION})"
_MUCH = r"how (?:long|many|much|often|far|early|late|soon) (?:\w{1,30} )?(?:do|does|is|are|can|may|must|should|will)\b"
_SAID = re.compile(rf"(?:and |but |or |so )?(?:{_ABOUT}|{_MUCH})")      # a question without its mark
_ASKED = re.compile(
    r"(?:(?:thanks|thank you|great|yes|no), )?"
    r"(?:(?:and|but|or|so|also|then) )?(?:what|when|where|which|who|whose|whom|why|how|since when|is|are|was|were|do|"
    rf"does|did|can|could|may|might|must|should|would|will|has|have|if|only|same|{_PREPOSITION})")
_CHAT = re.compile("|".join((
    r"\b(?:we|us|let's|me)\b", r"\bnow\?", r"\bwho (?:took|left|moved|broke|ate)\b",
    r"\bwhere (?:is|are) (?!it\b|that\b|this\b|the\b)", r"\bso (?:cold|hot|late|slow|loud)\b",
)))


def asks_on(text: str) -> bool:
    """Of a reply as Slack tells it. It costs microseconds, and asks nobody."""
    said = without_emoji(text).replace("\u2019", "'").strip()
    plain = said.lower()
    if _TO_SOMEBODY.match(said) or among_people(plain):
        return False
    if asks_for_documents(said if "?" in said else f"{said}?"):
        return True
    if _CHAT.search(plain) or len(plain.split()) > _LONGEST:
        return False
    asked = any(_ASKED.match(opening(found[0])) for found in _SENTENCE.finditer(plain))
    return asked or _SAID.match(plain) is not None
