"""Tells text that gives orders to a language model (prompt injection) from text for people.

By fixed phrases, in time linear in the text, and from the text alone. A
strong phrase decides by itself. Weak ones are such as people write to one
another, too; two different ones together decide. Nothing here stops a
determined writer: it keeps the known forms out of answers and names the
documents that hold them.
"""

import re
import unicodedata
from urllib.parse import unquote

from vouch.documents.text.legible import legible

_ENOUGH_WEAK = 2
_MOST_MARKS = 4                         # above and below one letter
_INSTRUCTIONS = (
    r"(?:instructions?|prompts?|directions|directives?|guidelines|rules|commands|orders|programming|training)"
)
_BEFORE = r"(?:previous|prior|above|earlier|preceding|foregoing|original|initial|existing|former|system|past)"
_DROP = (
    r"(?:ignore|disregard|forget|override|overrule|bypass|do not follow|don't follow|stop following|"
    r"pay no attention to)"
)
_MODEL = (
    r"(?:(?:large )?language models?|llms?|ais?|a\.i\.|ai (?:assistants?|agents?|models?|systems?|bots?)|chat ?bots?|"
    r"chatgpt|gpt(?:-?\d)?|claude|gemini|copilot)"
)
_SAY = r"(?:answer|reply|respond|say|state|output|print|write)"
_TELL = r"(?:tell|inform|alert|notify|warn|mention (?:this|it) to|reveal (?:this|it) to|show (?:this|it) to)"
_NOT = r"(?:do not|don't|never|must not|should not)"
_NOW = r"\byou are (?:now|henceforth|from now on) "
_SPOKEN = r"(?:\n|^)\W{0,4}(?:new )?(?:system|assistant|developer)"
_PROMPT = r"(?:system prompt|(?:initial|hidden|original) (?:prompt|instructions)|prompt above)"

# Words, one of which stands in whatever one of the patterns beside them matches: most texts hold none. Both lower case.
_Family = tuple[str, tuple[str, ...]]
_DROPS = "ignor|disregard|forget|overr|bypass|not follow|n't follow|stop following|no attention"
_STRONG: tuple[_Family, ...] = (
    (_DROPS, (                          # orders to drop one's instructions
        rf"\b{_DROP} (?:all|any|every|each)(?: of)?(?: the| your| my| these| those| other)? (?:\w+ ){{0,2}}?{_BEFORE}"
        rf"(?:,? (?:and|or) \w+)?(?: \w+)? {_INSTRUCTIONS}\b",
        rf"\b{_DROP} (?:all )?(?:of )?your (?:(?:{_BEFORE}|own|other|current|safety) ){{0,3}}{_INSTRUCTIONS}\b",
        rf"\b{_DROP} {_BEFORE} (?:system )?(?:instructions|prompts?|directives)\b",
        rf"\b{_DROP} (?:the|your|any|all)(?: \w+)? system (?:prompt|message|instructions)\b",
        r"\b(?:forget|ignore|disregard) (?:all|everything)(?: that)? "
        r"(?:you (?:were|have been|are|know|learned)|(?:written )?(?:above|before this))\b",
    )),
    (" aside ", (
        r"\b(?:set|put|lay|leave) aside (?:all |any )?(?:of )?(?:the |your |these |those )?(?:\w+ )?"
        r"(?:instructions|prompts?|directives|guidelines) (?:that )?you (?:were|have been|are|got|received|had)\b",
        rf"\b(?:set|put|lay|leave) aside (?:all |any )?(?:of )?(?:the |your )?{_BEFORE} "
        r"(?:instructions|prompts?|directives)\b",
    )),
    ("you are now|you are hence|you are from|if you are", (         # another role
        rf"{_NOW}(?:in |running in |operating in |entering )?(?:\w+ )?"
        r"(?:developer|debug|god|admin|root|sudo|jailbreak|maintenance|unrestricted|unfiltered|dan) mode\b",
        rf"{_NOW}(?:an? |the )?(?:\w+ ){{0,2}}?(?:unrestricted|unfiltered|uncensored|jailbroken|dan\b)",
        rf"{_NOW}(?:an? |the )?(?:\w+ ){{0,3}}?{_MODEL}\b",
        rf"\bif you are (?:an? |the )?(?:\w+ ){{0,2}}?{_MODEL}\b",
    )),
    ("unrestricted|unfiltered|uncensored|jailbroken|do anything now|you're ", (
        r"\b(?:act|behave|respond|answer) as (?:an? |the )?(?:unrestricted|unfiltered|uncensored|jailbroken)\b",
        r"\bdo anything now\b",
        rf"\bif you're (?:an? |the )?(?:\w+ ){{0,2}}?{_MODEL}\b",
    )),
    ("system|assistant|developer", (    # the form of a conversation's own messages
        rf"{_SPOKEN}(?: (?:prompt|message|instructions?|override|note))?\W{{0,3}} ?[:>\]\n] ?\W{{0,3}}"
        r"(?:you (?:are|must|will|should|have|now)|ignore|disregard|forget|from now on|print|reveal|output|always|"
        r"never (?:tell|reveal|mention)|do not|answer|reply|respond|override|the user)\b",
    )),
    ("the user|the reader|the human|the person|keep this|keep these", (       # kept from the reader
        rf"\b{_NOT} {_TELL} the (?:user|reader|human|person asking)"
        r"(?: (?:about|of) (?:this|these|it|any of this)\b| that (?:you|this)\b| you\b| anything\b|"
        r"\s?(?:[.!;\"”'\n]|$))",
        rf"\b{_NOT} (?:mention|reveal|disclose|show|repeat) (?:this|these|the above) "
        r"(?:instructions?|prompt|message|text|notes?)(?: \w+)? to the (?:user|reader|human)\b",
        r"\bkeep (?:this|these) (?:instructions?|prompt) (?:secret|hidden|confidential)\b",
    )),
    ("whatever|no matter|regardless|irrespective", (    # one answer to everything
        r"\b(?:whatever|no matter what|regardless of what|irrespective of what) "
        r"(?:(?:the|is|they|you|anyone|anybody|a|any|user|reader) ){0,4}(?:questions?|asks?|asked|asking|query|prompt)"
        rf"(?: \w+){{0,3}}?,? (?:(?:you|must|should|will|shall|always|only|just) ){{0,4}}{_SAY}\b",
    )),
    ("question|quer|prompt|request", (
        rf"\b{_SAY} (?:to )?(?:every|all|any|each) (?:user )?(?:questions?|quer(?:y|ies)|prompts?|requests?)(?: only)? "
        r"(?:with|by saying)\b",
        rf"\bto (?:every|all|any|each) (?:questions?|quer(?:y|ies)|prompts?),? "
        rf"(?:(?:you|must|should|will|always|only) ){{0,4}}{_SAY}\b",
    )),
    ("prompt|instructions", (           # what only a model has
        r"\b(?:reveal|print|output|show|repeat|leak|dump|expose|disclose|display|recite)(?: me| us)? "
        rf"(?:(?:the|your|all|any|full|entire|complete|secret) ){{0,4}}{_PROMPT}\b",
        r"\b(?:reveal|repeat|leak|recite|print|output) your (?:\w+ )?(?:instructions|prompt)\b",
    )),
    ("language model|llm| ai|a.i.|chat|gpt|claude|gemini|copilot", (     # spoken to
        rf"\b(?:note|message|instruction|attention|notice|order)s?(?: (?:to|for))?[:,]? (?:all |any |the |every )?"
        rf"{_MODEL}(?: (?:reading|processing|summari[sz]ing|that|who|which)\b| ?[:,!])",
        rf"\b{_MODEL} (?:that (?:is |are )?|which |who )?(?:reads?|reading|process(?:es|ing)?|summari[sz]ing) "
        r"this\b",
        r"\bas an? (?:ai|large language|language)(?: language)?(?: model| assistant)?,? "
        r"you (?:must|should|will|shall)\b",
    )),
    ("anweisung|instruk|befehle|regeln|vorgaben|modus", (           # the same in other languages
        r"\bignorier(?:e|en sie|t)? (?:alle|sämtliche|deine|die)(?: \w+)? "
        r"(?:vorherigen|bisherigen|obigen|früheren|vorigen) (?:anweisungen|instruktionen|befehle|regeln|vorgaben)\b",
        r"\bvergiss (?:alle|alles|deine)(?: \w+)? (?:anweisungen|instruktionen|befehle|regeln|vorgaben)\b",
        r"\bdu bist (?:jetzt|nun|ab jetzt|ab sofort) im (?:entwickler|debug|admin)-?modus\b",
    )),
    ("instruc|consignes|directives|órdenes|indicaciones", (
        r"\b(?:ignore[zr]?|oublie[zr]?) (?:toutes )?(?:les|tes|vos) (?:instructions|consignes|directives) "
        r"(?:précédentes|antérieures|ci-dessus)\b",
        r"\b(?:ignor[ae]|olvid[ae]) (?:todas )?(?:las|tus|sus) (?:instrucciones|órdenes|indicaciones) "
        r"(?:anteriores|previas)\b",
    )),
    ("istruzioni|indicazioni|direttive|instructies|aanwijzingen|opdrachten", (
        r"\b(?:ignora(?:te|re)?|dimentica(?:te|re)?) (?:tutte )?(?:le|tue|queste) (?:tue |vostre )?"
        r"(?:(?:istruzioni|indicazioni|direttive) (?:precedenti|anteriori|ricevute)|"
        r"precedenti (?:istruzioni|indicazioni|direttive))\b",
        r"\b(?:negeer|ignoreer|vergeet) (?:alle|al|de|je|uw) (?:de |je |uw )?"
        r"(?:vorige|eerdere|voorgaande|bovenstaande) (?:instructies|aanwijzingen|opdrachten)\b",
    )),
    ("инструкци|указани", (
        r"\b(?:(?:про)?игнорируй(?:те)?|забудь(?:те)?|не следуй(?:те)?) (?:все |всем )?(?:свои |своим |твои )?"
        r"(?:предыдущи|прежни|прошлы|вышеуказанны)[хемй]{1,2} (?:инструкци|указани)(?:и|я|ям)\b",
    )),
    ("忽略|无视|無視|忘记|忘記", (
        r"(?:忽略|无视|無視|忘记|忘記)(?:你|之前|以上|上面|先前|前面|所有|全部|的|一切){1,6}(?:指令|指示|提示|说明|命令|規則|规则)",
    )),
)  # fmt: skip
# Between sentences; among rows of a form, each with a colon, people write it.
_SENTENCE = r"(?:[^\s:]{1,30} ){3,40}[^\s:]{0,29}[.!?][\"')]?"
_FINAL = r"final ?[:=] ?yes\b"
_FINAL_ENDS = rf"{_FINAL}(?: ?[.!]\s{{0,2}}| ?\n{{1,2}}| ?$)"     # by a mark, or with its line
_STRONG_TO_A_PLANNER: tuple[_Family, ...] = (      # the form of its own orders
    ("tool", (r"[\"']tool[\"'] ?: ?[\"'](?:rag|open|web)[\"'] ?, ?[\"']args[\"'] ?:",)),
    ("web|rag", (r"\b(?:call|invoke) (?:web|rag|the (?:web|rag) tool) with\b",)),
    ("final", (
        r"\bfinal ?[:=] ?yes ?[,;] ?(?:for|because|since|stop|tool|all parts|no more|no further|nothing)\b",
        rf"\bplanner ?[:,] ?{_FINAL}(?:[^\w\s]|\n|\s?$)",
        rf"(?:^|\n|[.!?][\"')]? ){_SENTENCE}\s{{1,2}}{_FINAL_ENDS}(?![^\n:.!?]{{1,40}}:)",
        rf"(?:^ ?|(?:^|\n)[^\n:]{{1,200}}\n{{1,2}}){_FINAL_ENDS}{_SENTENCE}",
    )),
)
_WEAK: tuple[_Family, ...] = (
    (_DROPS, (
        rf"\b{_DROP} (?:the|these|those|my|our) (?:{_BEFORE} ){{1,2}}{_INSTRUCTIONS}\b"
        rf"|\b{_DROP} (?:all|any) (?:the |these |those |other )?{_INSTRUCTIONS}\b",
    )),
    ("system|assistant|developer", (rf"{_SPOKEN}(?: (?:prompt|message|override))?\W{{0,2}}:",)),
    ("im_start|system|assistant|inst]|<<sys", (r"<\|?(?:im_start|system|assistant)\|?>|\[/?inst\]|<<sys>>",)),
    ("from now on|henceforth", (
        r"\b(?:from now on|henceforth),? (?:(?:you|please|must|should|will|shall|are to|only|always) ){0,4}"
        rf"(?:{_SAY}|act|behave|obey|pretend)\b",
    )),
    ("the user|the reader|the human|ing user|ing human", (
        rf"\b{_NOT} {_TELL} the (?:user|reader|human)\b",
        r"\bwithout (?:telling|informing|alerting|notifying) (?:the )?(?:user|reader|human)\b",
        r"\bthe (?:user|reader) (?:must not|should not|may not|will not) (?:know|see|notice|learn)\b",
    )),
    ("always|only|must|just", (rf"\b(?:always|only|must|just) {_SAY}(?: only)?(?: with| by saying)?:? ?[\"“'«]",)),
    (" ask", (
        r"\bif (?:the user|you are|anyone|anybody|someone|somebody) (?:asks?|asked)\b[^.\n]{0,80}[,:] "
        rf"(?:always |only |just )?{_SAY}\b",
    )),
    ("reveal|leak|dump|exfil|output|print|expose", (
        r"\b(?:reveal|leak|dump|exfiltrate|output|print|expose) (?:all|every|any)(?: of)?(?: the| your)? (?:\w+ )?"
        r"(?:data|documents|passwords|credentials|secrets|salar(?:y|ies)|records|keys)\b",
    )),
    ("instructions|prompt", (r"\b(?:new|updated|real|actual|secret|hidden) (?:system )?(?:instructions|prompt)\b",)),
    ("your new ", (r"\byour new (?:instructions?|task|role|goal|objective|purpose|identity)\b",)),
    (_DROPS + "|disable", (
        r"\b(?:override|bypass|disable|ignore) (?:(?:all|any|your|the|safety|content|security) ){0,4}"
        r"(?:filters?|guardrails?|restrictions|safeguards|moderation)\b",
    )),
    ("pretend|role|jailbr", (r"\bpretend (?:to be|that you|you)\b|\brole-?play\b|\bjailbreak(?:ed|ing)?\b",)),
    (" mode", (r"\b(?:admin|developer|debug|god|sudo) mode\b",)),
    ("obey|comply with", (r"\byou (?:must|will|shall) (?:now )?(?:obey|comply with)\b",)),
    ("when ", (
        r"\bwhen (?:summari[sz]ing|answering|processing|quoting) (?:from )?this "
        r"(?:document|page|text|passage|file|e-?mail)\b",
    )),
)  # fmt: skip

_WEAK_TO_A_PLANNER: tuple[_Family, ...] = (
    ("plan", (
        r"\b(?:planner|planer|planificateur|planificador|planejador|planowanie)(?: instructions?)? ?[:,]",
        r"\b(?:search|retrieval|query) planner\b|\b(?:whoever|if you) plans? (?:the |any )?search",
        r"\bwhen planning,? (?:always|only|first)\b",
    )),
    ("планировщик|计划器|プランナー", (r"(?:планировщик|计划器|プランナー) ?[:,、]",)),
    ("final|stop", (
        r"\b(?:final|stop) ?[:=] ?(?:yes|true)\b|\b(?:set|setze) (?:final|stop) (?:to|auf) (?:true|yes)\b",
        r"\bstop searching\b|\bsay final\b",
    )),
    ("tool|args|query|final|stop", (
        r"[\"'](?:tool|args|query|final|stop)[\"'] ?:|<tool ?call>|\btool ?calls? ?:|\bnext (?:query|tool)\b",
        r"\b(?:call|use|run|invoke) the (?:tool|web tool|rag tool)\b|\brun the following (?:query|search)\b",
    )),
    ("web|rag|open", (
        r"\b(?:call|invoke|use) (?:web|rag|open) (?:with|on|for)\b",
        r"\b(?:web|rag|open) ?\((?:query|chunk|document|[\"'])",
    )),
    ("next|before answering|any other step", (
        r"\b(?:search|look|query|retrieve|open|fetch)\b[^.\n]{0,80} (?:next|before answering)(?: step)? ?(?:[.!\n]|$)",
        r"\bbefore (?:any other step|answering)\b",
    )),
    ("search|quer|retriev|part|step", (
        r"\bdo not search any further\b|\bno further (?:steps|searches) are needed\b|\bend the search\b",
        r"\bsearch only for\b|\bto (?:each|every) query\b|\bmark (?:each|every|all) parts?\b",
        r"\ball parts are (?:answered|covered)\b|\binstructions? for (?:the )?(?:retrieval|search)\b",
        r"\bignore the other parts\b",
    )),
    ("agent|assistants", (
        r"\b(?:ai|search|retrieval) agents?\b|\bassistants reading this\b",
        r"\bagents?,? (?:please|must|should)(?: now)? (?:search|look|query|call|fetch|retrieve|open)\b",
    )),
    ("dear|hey|hello", (rf"\b(?:dear|hey|hello) {_MODEL}\b",)),
)  # fmt: skip
"""What orders the searches of further steps: people say most of it to one another, too."""

_MARKS = re.compile(r"[*_~`\\]")
_LINE_START = re.compile(r"(?:^|\n)[ \t>#|+\-]*")
_SPACE = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_UNSEEN = re.compile(
    "[\u0300-\u036f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0100-\U000e01ef]"
)
_BREAKS = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029", " "))
_TAGS = {0xE0000 + code: chr(code) for code in range(32, 127)}      # letters that cannot be seen and models can read
_TWINS = str.maketrans(                 # letters that look like Latin ones, and what joins words
    "АВЕКМНОРСТУХІЈЅаекмортсухіјѕԁһԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεηικνορτυχγωıɪɢɴʀᴏᴇᴀʙᴄᴅʜᴊᴋʟᴍᴘᴛᴜᴠᴡʏᴢꜱꜰ-_\u2010\u2011",
    "ABEKMHOPCTYXIJSaekmoptcyxijsdhqwlABEZHIKMNOPTYXaenikvoptuxywiignroeabcdhjklmptuvwyzsf    ",
)
_SIGNS = str.maketrans({"’": "'", "‘": "'"})

_JOINTS = str.maketrans("/._-+", "     ")

_Rules = tuple[tuple[tuple[str, ...], tuple[re.Pattern[str], ...]], ...]


def _compiled(families: tuple[_Family, ...]) -> _Rules:
    return tuple((tuple(words.split("|")), tuple(map(re.compile, patterns))) for words, patterns in families)


_STRONG_RULES, _PLANNER_RULES, _WEAK_RULES, _WEAK_PLANNER_RULES = map(
    _compiled, (_STRONG, _STRONG_TO_A_PLANNER, _WEAK, _WEAK_TO_A_PLANNER))


_SAYS_FINAL = re.compile(rf"\W{{0,9}}{_FINAL}\W{{0,9}}")
_MAY_SAY_FINAL = r"(?:^|(?<=[.!?] ))[^\w\n]{0,9}final[^\w\n]{1,9}yes[^\w\n]{0,9}\n"
FINAL_LINE = re.compile(_MAY_SAY_FINAL, re.IGNORECASE | re.MULTILINE)
"""A line of nothing else, which may have no full stop; whether it is an order is told by `is_order`."""
_Form = tuple[str, str]                 # with its lines, and flowing


def orders_a_model(text: str) -> bool:
    """Whether `text` reads as orders to a language model that is given it, or to what plans searches."""
    forms = _forms(text)
    if any(_holds(forms, words, patterns) for words, patterns in (*_STRONG_RULES, *_PLANNER_RULES)):
        return True
    weak = 0
    for words, patterns in _WEAK_RULES:
        weak += _holds(forms, words, patterns)
        if weak == _ENOUGH_WEAK:
            return True
    return False


def is_order(sentence: str) -> bool:
    """Whether a sentence of a passage that holds orders is one of them, by its own words."""
    return orders_a_model(sentence) or any(_SAYS_FINAL.fullmatch(flowing) for _, flowing in _forms(sentence))


def orders_a_planner(text: str) -> bool:
    """Whether `text` holds orders to what plans searches, such as nobody gives to people."""
    forms = _forms(text)
    return any(_holds(forms, words, patterns) for words, patterns in _PLANNER_RULES)


def named(path: str) -> str:
    """The words of a path, as somebody reads them who is told it."""
    return unquote(path).translate(_JOINTS)


def may_order_a_model(text: str) -> bool:
    """Whether `text` has any phrase of such orders, or of orders to what plans searches, be it one that people write
    to one another too."""
    rules = (*_STRONG_RULES, *_PLANNER_RULES, *_WEAK_RULES, *_WEAK_PLANNER_RULES)
    forms = _forms(text)
    return any(_holds(forms, words, patterns) for words, patterns in rules)


def _forms(text: str) -> list[_Form]:
    """As it is read, and as it would be with letters for their Latin twins and blanks for hyphens.

    What nobody sees is left out, also where it breaks a line, and once not, where only models see it.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _few_marks(text.translate(_SIGNS)))
    seen = map(_seen, {text, text.translate(_BREAKS), text.translate(_TAGS)})
    forms = sorted({_normal(form) for one in seen for form in (one, one.translate(_TWINS))})
    return [(lines, f" {' '.join(lines.split())} ") for lines in forms]


def _few_marks(text: str) -> str:
    """Four in a row at most: putting them in order takes time by the square of a row."""
    kept, row = list[str](), 0
    for char in text:
        row = row + 1 if unicodedata.combining(char) else 0
        if row <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def _seen(text: str) -> str:
    """Nearly every text is printable, which is looked at in a hundredth of the time."""
    printable = text.replace("\n", "").replace("\t", "").isprintable()
    return _UNSEEN.sub("", text if printable else legible(text))


def _holds(forms: list[_Form], words: tuple[str, ...], patterns: tuple[re.Pattern[str], ...]) -> bool:
    """A phrase may run over the end of a line, and may have to begin one."""
    return any(
        pattern.search(lines) or pattern.search(flowing)
        for lines, flowing in forms if any(word in flowing for word in words) for pattern in patterns
    )  # fmt: skip


def _normal(text: str) -> str:
    """Lower case without marks and layout; line ends stay."""
    text = _LINE_START.sub("\n", _MARKS.sub("", text.casefold()))
    return _SPACE.sub(" ", text).replace(" \n", "\n").strip()
