"""Markdown documents for property tests: every kind of block, in any order and size."""

from hypothesis import strategies as st

_VOCABULARY = (
    "policy laptop the a of vacation days e.g. Dr. 3.5 request, (see) office `code` **bold** [link](http://x.y/z) U.S. "
    "naïve 休暇 🎉 don’t -- <br> x_y ... manager’s it."
)
WORDS = st.sampled_from(_VOCABULARY.split())
SENTENCE = st.builds(lambda words, end: " ".join(words).capitalize() + end, st.lists(WORDS, min_size=1, max_size=30),
                     st.sampled_from([".", "!", "?", "", ":", "。"]))
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=8).map(" ".join)
LIST = st.builds(lambda mark, items: "\n".join(f"{mark} {i}" for i in items), st.sampled_from(["-", "*", "1."]),
                 st.lists(SENTENCE, min_size=1, max_size=12))
CODE = st.lists(st.text("abc =().,#", max_size=60), max_size=20).map(lambda lines: "\n".join(["```", *lines, "```"]))
TABLE = st.lists(WORDS, min_size=1, max_size=25).map(
    lambda rows: "\n".join(["| a | b |", "|---|---|", *(f"| {w} | {w} |" for w in rows)])
)
QUOTE = PARAGRAPH.map(lambda text: "> " + text)
HEADING = st.builds(lambda level, title: "#" * level + " " + " ".join(title), st.integers(1, 4),
                    st.lists(WORDS, max_size=5))
OTHER = st.sampled_from(["***", "[ref]: http://example.test/page", "<!-- a note -->", ", stray start", ") . x", ".env"])
BLOCK = st.one_of(PARAGRAPH, HEADING, LIST, CODE, TABLE, QUOTE, OTHER)
FRONT = st.sampled_from(["", "---\ntitle: Handbook\n---\n", "---\nlayout: page\ntags: [a, b]\n---\n\n"])
GAP = st.sampled_from(["\n\n", "\n\n\n"])
BODY = st.builds(lambda blocks, gap: gap.join(blocks), st.lists(BLOCK, max_size=14), GAP)

# The same with all that is easily taken for a mark.
_CODE_WORDS = (
    "`nlctl login <user>`", "`Map<String, Integer>`", "`tests/**/*.py`", "`*args, **kwargs`", "`2**10`", "<user>",
    "<https://a.example/b_c_d>", "my_file_*.log", "__init__", "APP__DB__URL", "`__init__.py`", "**`x`**", "*very*",
    "**bold and *nested***", "_it_", "root@bastion", "a*b*c", "5*3", "\\*not\\*", "![pic](a.png)",
    "[**k** `v`](http://x.y/z_1)", "x_1_y", "C#", "<b>fat</b>", "**(a)**b", "`` a`b ``", "*", "**",
)
CODE_WORDS = st.sampled_from([*_CODE_WORDS, *_VOCABULARY.split()])
CODE_SENTENCE = st.builds(lambda words, end: " ".join(words) + end, st.lists(CODE_WORDS, min_size=1, max_size=16),
                          st.sampled_from([".", "!", "", ":", "。"]))
CODE_PARAGRAPH = st.lists(CODE_SENTENCE, min_size=1, max_size=4).map(" ".join) | st.lists(
    CODE_SENTENCE, min_size=2, max_size=4).map("\n".join)
CODE_LINES = st.lists(st.sampled_from(["# a comment", "  if x:", "rm -rf *.log", "a_b = 2**10", "", "echo `date` <x>"]),
                      max_size=12)
FENCED = st.builds(lambda mark, lines: "\n".join([mark + "sh", *lines, mark]), st.sampled_from(["```", "~~~", "````"]),
                   CODE_LINES)
STEP = CODE_SENTENCE | CODE_SENTENCE.map(lambda sentence: sentence + "\n\n   ```\n   ls *\n     x\n   ```")
STEPS = st.lists(STEP, min_size=1, max_size=9).map(
    lambda items: "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1)))
POINTS = st.lists(CODE_SENTENCE, min_size=1, max_size=6).map(lambda items: "\n".join(f"- {item}" for item in items))
QUOTED = CODE_PARAGRAPH.map(lambda text: "> " + text.replace("\n", "\n> "))
DOCUMENT_WITH_CODE = st.lists(st.one_of(CODE_PARAGRAPH, FENCED, STEPS, POINTS, QUOTED, HEADING, BLOCK), min_size=1,
                              max_size=8).map("\n\n".join)
