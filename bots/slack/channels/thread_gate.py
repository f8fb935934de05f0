"""Is a reply that names nobody, in a thread that vouch has joined, meant for vouch? By its form; in doubt it is not.

People go on talking to one another there. docs/slack.md has the figures.
"""

import re

from bots.slack.channels.gate import RULED, among_people, asks_for_documents, opening
from bots.slack.reading import without_emoji
from vouch.documents.text.capitals import CAPITALS

_LONGEST = 15                           # words of a follow-up
_SENTENCE = re.compile(r"[^.!?\n]{1,500}\?")
_TO_SOMEBODY = re.compile(              # "Ana, …" and "…, Ana?"
    r"(?!(?:And|Also|But|Or|So|Then|Well|Ok|Okay|OK|Yes|No|Thanks|Thank|Sorry|Great|Hi|Hello|Hey)\b)"
    rf"[{CAPITALS}][\w'-]{{1,40}},\s|.*,\s[{CAPITALS}][\w'-]{{1,40}}\s?[?!.]*$", re.DOTALL)
_PREPOSITION = r"(?:for|in|at|with|without|after|before|during|from|within|under|over|abroad|per)\b"
_ABOUT = rf"(?:(?:what|how) about\b|and {_PREPOSITION})"
_MUCH = r"how (?:long|many|much|often|far|early|late|soon) (?:\w{1,30} )?(?:do|does|is|are|can|may|must|should|will)\b"
_SAID = re.compile(                     # a question without its mark
    rf"(?:and |but |or |so )?(?:{_ABOUT}|{_MUCH}|how (?:long|much|often|many)\Z|(?:by|till|until|since) when\??\Z"
    rf"|who (?:approves|signs|owns|decides)\b|what(?:'?s| is) the (?:\w{{1,30}} )?{RULED}"
    r"|(?:please )?explain (?:step|point|section) \d)")
_NOT_NAMED = r"(?!(?:you|then|now|again|so|that|this|it|yes|no|why|\w{1,20}ly)\b)"
_NAMED = re.compile(                    # "and hotels?"; what begins with a capital may be somebody
    r"(?:(?:thanks|thx|ok|okay)[,!]? )?(?:[Aa]nd " + _NOT_NAMED + r"[a-z][\w-]{1,30}(?: [a-z][\w-]{1,30}){0,2}"
    r"|[Ss]o \d{1,6} (?:hours|days|weeks|months|years))\s?\?\Z")
_ALONE = re.compile(                    # "Hotels?"
    r"(?!(?:thoughts|ideas|questions|updates|news|plans|takers|guys|folks|yes|comments|volunteers|opinions|objections|"
    r"thanks|concerns|cheers|perhaps|suggestions|always|success|progress)\b)[a-z][a-z-]{2,20}s\s?\?\Z", re.IGNORECASE)
_ASKED = re.compile(
    r"(?:(?:thanks|thx|thank you|great|yes|no), )?"
    r"(?:(?:and|but|or|so|also|then|even) )?(?:what|anything (?:for|about)|when|where|which|who|whose|whom|"
    r"why|how|since when|is|are|was|were|do|"
    rf"does|did|can|could|may|might|must|should|would|will|has|have|if|only|same|{_PREPOSITION})")
_DONE = re.compile(rf"[Dd]id [{CAPITALS}]")        # "did Tom approve it?"; rules are seldom asked for in the past
_CHAT = re.compile("|".join((
    r"\b(?:we|us|let's|me)\b", r"\bnow\?", r"\bwho (?:took|left|moved|broke|ate)\b",
    r"\bwhere (?:is|are) (?!it\b|that\b|this\b|the\b)", r"\bso (?:cold|hot|late|slow|loud)\b",
    r"\bmakes? sense\b", r"\bstill true\b", r"\bthis week\b", r"\bdid (?:it|that|this) (?:work|help|run)\b",
    r"\bwho (?:wrote|made|said|did|has)\b",
    r"\b(?:is|are) \w{1,30} (?:back|here|there|around|ready|coming|free|away|late|sick)\?",
)))


def asks_on(text: str) -> bool:
    """Of a reply as Slack tells it. It costs microseconds, and asks nobody."""
    said = without_emoji(text).replace("\u2019", "'").strip()
    plain = said.lower()
    if _TO_SOMEBODY.match(said) or _DONE.match(said) or among_people(plain):
        return False
    if asks_for_documents(said if "?" in said else f"{said}?"):
        return True
    if _CHAT.search(plain) or len(plain.split()) > _LONGEST:
        return False
    asked = any(_ASKED.match(opening(found[0])) for found in _SENTENCE.finditer(plain))
    return asked or _SAID.match(opening(plain)) is not None or _ALONE.match(plain) is not None \
        or _NAMED.match(said) is not None
