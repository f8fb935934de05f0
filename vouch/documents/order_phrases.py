"""Phrases of orders to a language model, and to what plans searches, as patterns of lower-case text.

A family is patterns and, before them, the words one of which stands in
whatever one of them matches: most texts hold none, and are not searched.
"""

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
_READER = rf"(?:{_MODEL}|(?:ai|automated|search|retrieval) (?:agent|assistant|planner|bot|model|reader)s?)"
_KIND = r"(?:(?!(?:using|with|to|of|in|on|for|not|new|writing|training|building|testing)\b)\w+ ){0,2}?"
"""Of what sort somebody is, and not what he does with it."""
_NO_HUMAN = r"(?:machine|robot|automated (?:assistant|agent|reader|system|process)|(?:search|retrieval) (?:agent|bot))"
_ENDS = r"(?= ?[,.:;!?)\]]| ?$)"
_SAY = r"(?:answer|reply|respond|say|state|output|print|write)"
_TELL = r"(?:tell|inform|alert|notify|warn|mention (?:this|it) to|reveal (?:this|it) to|show (?:this|it) to)"
_NOT = r"(?:do not|don't|never|must not|should not)"
_NOW = r"\byou are (?:now|henceforth|from now on) "
_SPOKEN = r"(?:\n|^)\W{0,4}(?:new )?(?:system|assistant|developer)"
_PROMPT = r"(?:system prompt|(?:initial|hidden|original) (?:prompt|instructions)|prompt above)"

Family = tuple[str, tuple[str, ...]]
_DROPS = "ignor|disregard|forget|overr|bypass|not follow|n't follow|stop following|no attention"
STRONG: tuple[Family, ...] = (
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
    ("you are now|you are hence|you are from", (         # another role
        rf"{_NOW}(?:in |running in |operating in |entering )?(?:\w+ )?"
        r"(?:developer|debug|god|admin|root|sudo|jailbreak|maintenance|unrestricted|unfiltered|dan) mode\b",
        rf"{_NOW}(?:an? |the )?(?:\w+ ){{0,2}}?(?:unrestricted|unfiltered|uncensored|jailbroken|dan\b)",
        rf"{_NOW}(?:an? |the )?(?:\w+ ){{0,3}}?{_MODEL}\b",
    )),
    ("unrestricted|unfiltered|uncensored|jailbroken|do anything now", (
        r"\b(?:act|behave|respond|answer) as (?:an? |the )?(?:unrestricted|unfiltered|uncensored|jailbroken)\b",
        r"\bdo anything now\b",
    )),
    ("you are|you're|you be", (         # whoever is no human
        rf"\b(?:if|in case) (?:you are|you're) (?:an? |the )?{_KIND}{_MODEL}\b",
        rf"\bshould you be (?:an? |the )?{_KIND}{_MODEL}\b",
        rf"\b(?:(?:if|in case) (?:you are|you're)|should you be) (?:an? |the )?{_NO_HUMAN}{_ENDS}",
        rf"\bunless (?:you are|you're) (?:a )?human{_ENDS}",
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
        r"\bas an? (?:ai|large language|language)(?: language)?(?: model| assistant)?,? "
        r"you (?:must|should|will|shall)\b",
    )),
    (" this| the present", (
        rf"\b{_READER} (?:(?:that|which|who) )?(?:(?:is|are) )?(?:reads?|reading|retriev(?:es?|ing)|"
        r"summari[sz](?:es?|ing)|index(?:es|ing)|lands? on|landing on|process(?:es|ing)?|crawling|scanning|ingesting) "
        r"(?:this|the present)\b",
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
FINAL = r"final ?[:=] ?yes\b"
_FINAL_ENDS = rf"{FINAL}(?: ?[.!]\s{{0,2}}| ?\n{{1,2}}| ?$)"     # by a mark, or with its line
STRONG_TO_A_PLANNER: tuple[Family, ...] = (      # the form of its own orders
    ("tool", (
        r"\btool[\"']? ?[:=] ?[\"']?(?:rag|open|web)[\"']?[ ,;\n]{1,3}[\"']?args ?[\"']? ?[:=]",
        r"<tool ?call\b|<tool>(?:rag|open|web)</tool>",
    )),
    ("web|rag", (r"\b(?:call|invoke) (?:web|rag|the (?:web|rag) tool) with\b",)),
    ("final", (
        r"\bfinal ?[:=] ?yes ?[,;] ?(?:for|because|since|stop|tool|all parts|no more|no further|nothing)\b",
        rf"\bplanner ?[:,] ?{FINAL}(?:[^\w\s]|\n|\s?$)",
        rf"(?:^|\n|[.!?][\"')]? ){_SENTENCE}\s{{1,2}}{_FINAL_ENDS}(?![^\n:.!?]{{1,40}}:)",
        rf"(?:^ ?|(?:^|\n)[^\n:]{{1,200}}\n{{1,2}}){_FINAL_ENDS}{_SENTENCE}",
    )),
)
WEAK: tuple[Family, ...] = (
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

WEAK_TO_A_PLANNER: tuple[Family, ...] = (
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
