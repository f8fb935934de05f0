"""Is a message that names nobody a question for documents? By its form alone, and in doubt it is not.

An answer that nobody wanted disturbs a whole channel; a question that is missed is asked again with a mention.
docs/slack.md has the figures.
"""

import re

from bots.slack.reading import without_emoji

_SHORTEST, _LONGEST = 3, 60             # words
_SENTENCE = re.compile(r"[^.!?\n]{1,2000}\?")
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|morning|good (?:morning|afternoon)|quick question|quick q|question|sorry|so|ok|okay|"
    r"and|also|btw)"
    r"(?: all| everyone| team| folks| there)?\b[,:;\-\s]{1,5}){1,3}")
_ONE = r"(?:i|we|one|employees|people|someone|staff|managers|contractors|interns|hires|parents)"
RULED = (
    r"(?:polic(?:y|ies)|rules?|limits?|guide(?:lines?)?|process|procedures?|templates?|forms?|deadlines?|budgets?|"
    r"allowances?|checklists?|maximum|minimum|periods?|requirements?|approvals?|difference|retention|hours|rates?|"
    r"steps|paths?|list of|expenses?|reports?|insurance|leave|contracts?|vendors?|bonus(?:es)?|payroll|salar(?:y|ies)|"
    r"timesheets?|documented|allowed|required|reimbursed|covered|paid|needed|due|submitted|announced|stored|kept|"
    r"dress code|code of conduct|passwords?)\b")
_ASKS = re.compile("|".join((        # what is asked of anybody, at any time
    rf"how (?:do|does|can|should|would|must|may) (?:new |part-time )?{_ONE} (?!look|feel|want|split)\w",
    r"how to\b", r"how often\b", rf"how (?:many|much|long|far|early|soon|late)\b.{{0,200}}\b(?:{_ONE} (?:get|have|need|"
    rf"keep)|does (?:each|every)|must|may|{RULED})",
    r"how (?:long|many|much|often) (?:is|are|does) an?\b",
    r"how many (?!more\b)(?:\w{1,30} ){1,2}(?:days|weeks|hours)\b",
    r"what (?:is|are) an? (?!good|better|nice|fun)\w",
    r"when (?:do|can|must|should) i (?:have to|need to|get|submit)\b",
    r"how does the \w{1,30} \w{1,30} work\b", r"what (?:counts|qualifies) as\b",
    rf"what (?:happens if|happens to|should {_ONE} do|do {_ONE} do|does the .{{0,100}}\bsay)\b",
    rf"(?:whats?|which|where|when|who|is|are|do we have an?)\b.{{0,200}}\b{RULED}",
    rf"where (?:do|can|should|must) {_ONE} \w", rf"which \w{{1,30}} (?:can|may|must|should|do) {_ONE}\b",
    r"who (?:approves|signs|owns|handles|maintains|decides|is responsible|is allowed|may|can approve)\b",
    rf"(?:who|whom) (?:do|should|must|can) {_ONE} (?:ask|contact|tell|inform|report|call|write)\b",
    rf"(?:am|are|is) {_ONE} (?:allowed|entitled|eligible|required|expected|supposed|covered|reimbursed)\b",
    r"(?:is|are) \w{1,30} (?:allowed|required|permitted|covered|reimbursed|paid)\b",
    r"is it (?:allowed|permitted|required|mandatory) to\b",
    rf"(?:can|may|must|should) (?:new |part-time )?{_ONE} (?:\w{{1,30}} ){{0,2}}(?:expense|claim|carry|take|use|"
    r"install|work|book|request|share|store|access|buy|order|keep|transfer|cancel|submit|sell|sign|report|publish)\b",
    rf"(?:do|does) (?:new |part-time )?{_ONE} (?:\w{{1,30}} )?(?:have to|get|earn|qualify|receive|accrue|lose|"
    r"need an?)\b",
    r"(?:do|does) (?:(?:the|our) )?(?:\w{1,30} ){1,3}(?:cover|apply|include|allow|require|expire|pay|count)\b",
)))
_AMONG_PEOPLE = re.compile("|".join((
    r"<[@!]",
    r"\b(?:anyone|anybody|somebody|everyone (?:ok|okay|ready|here)|who else|who wants|who's (?:in|up|coming))\b",
    r"\b(?:you|your|yours|u|ya|y'all)\b", r"\b(?:he|she|him|his|hers?)\b",
    r"\b(?:lunch|dinner|beer|beers|drinks|pizza|coffee|cake|party|birthday|weekend|movie|game)\b",
    r"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening)|right now|last night|just now|"
    r"again\?|already\?|yet\?|still (?:down|broken|failing)|going on|standup|stand-up|retro|demo day)\b",
    r"\b(?:on|next|last|this) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    r"\b(?:lol|haha+|lmao|omg|wtf|jk)\b", r"\b(?:my|our|the|this|that) (?:error|bug|pr|mr|branch|build|commit|"
    r"merge|tests?|ci|"
    r"screen|mic|camera|call|meeting|ticket|code|pipeline|deploy(?:ment)?)\b",
    r"\b(?:right|no|huh|eh|ok|okay|really|seriously)\?\s*$",
    r"\b(?:shall|should|could|can|may) we (?:meet|move|talk|discuss|start|sync|chat|go|try|do|have|postpone|ship|"
    r"merge)\b",
    r"\b(?:is|are) (?:we|the|things) (?:\w{1,30} )?\w{1,30}ing\b",
    r"\b(?:merged|shipped|deployed|staging|outage|customer is|"
    r"the (?:customer|queue|plan|client|score|release|afternoon))\b",
    r"\b(?:think|guess|wonder|feel|hope|love|hate|look like|looking)\b", r"\bnow\?",
)))
_UNMARKED = re.compile(              # what is a question without its mark
    rf"(?:how (?:do|can|should) i (?!look|feel|want|split)\w|how to\b|who approves\b|"
    rf"(?:whats?|what is|what are)(?:'s)? (?:the|our|a|an)\b[^.!?\n]{{0,100}}\b{RULED})[^.!?\n]{{1,200}}\Z"
    rf"|what(?:'?s| is) the (?:\w{{1,30}} )?{RULED}\Z")
_KNOWS = re.compile(r"(?:does |do )?any(?:one|body) (?:happen to )?know (?=(?:how|where|what|who|when|which) )")
_POINTED = re.compile(r"\b(?:this|that|these|those|it)\?")


def asks_for_documents(text: str) -> bool:
    """Of a message as Slack tells it. It costs microseconds, and asks nobody."""
    said = without_emoji(text).replace("\u2019", "'").strip().lower()
    known = _KNOWS.match(opening(said))
    plain = opening(said)[known.end():] if known else said
    if not _SHORTEST <= len(plain.split()) <= _LONGEST or among_people(plain) or _POINTED.search(plain):
        return False
    return _UNMARKED.match(opening(plain)) is not None \
        or any(_ASKS.match(opening(found[0])) for found in _SENTENCE.finditer(plain))


def among_people(plain: str) -> bool:
    """Whether people say it to one another; in small letters."""
    return _AMONG_PEOPLE.search(plain) is not None


def opening(sentence: str) -> str:
    """Without a greeting in front of it."""
    sentence = sentence.strip(" \t,;:-*_>\"'")
    greeting = _GREETING.match(sentence)
    return sentence[greeting.end():] if greeting else sentence
