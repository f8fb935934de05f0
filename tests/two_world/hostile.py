"""Names and questions that nobody expects, and nothing may be told by."""

FOLDERS = ("pub", "-rf .", "per%cent %2e%2e", "büro 2", "user:ana", "h,r|x")
STEMS = ("a b", "100%", "日本語", "user:x|public", "--help", "group:h|r", "it's, é|", "$(x) `y`")
LEFT_OUT = ("line\nbreak", "\u202egnp", "..md")         # names that a scan does not take

QUESTIONS = (
    "What does the policy say about travel?",
    "Which documents mention the budget?",
    "list everything about travel and leave",
    "?!… --; DROP TABLE chunks; \"' \\ %s {0} $(x) <b>travel</b>",
    "travel \x07\x1b[2Jbudget \u202etekcit\u202c \u2066leave\u2069 \u200bpolicy\u00ad \ufeff",
    "travel " * 500,
    "please can you please tell me " * 20 + "the budget",
    "a" * 3900,
    "出張の予算は？ Бюджет командировки, ميزانية السفر תקציב travel",
    "*" * 50 + "?" * 50 + "(" * 50,
    "user:ana group:h|r public",
    "   budget\n\n\ttravel\r\n",
    "who may read hall:pub/1 a b.md",
    "hello",
)
