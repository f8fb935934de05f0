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
