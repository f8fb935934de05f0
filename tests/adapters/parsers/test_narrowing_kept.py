"""A document that narrows its access is never read as if it did not."""

import time

import pytest

from vouch.adapters.parsers import parse
from vouch.documents.document import Content
from vouch.errors import Unreadable

FRONT = "---\naccess: group:hr\n---\n<html><body><p>Secret words stand here.</p></body></html>\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("path", ["a.html", "a.md", "a.txt"])
def test_front_matter_counts_in_every_encoding(path, encoding):
    assert parse(Content(path, FRONT.encode(encoding), "")).narrowed == {"group:hr"}


@pytest.mark.parametrize("path", ["a.html", "a.md", "a.txt"])
def test_lines_that_end_in_bare_returns_are_refused(path):
    with pytest.raises(Unreadable, match="carriage returns"):
        parse(Content(path, FRONT.replace("\n", "\r").encode(), ""))


BODY = "# T\n\nSecret words stand here.\n"
ACCESS = "access: [group:hr]"
NEARLY = {
    "a blank that does not break behind the dashes": f"---\u00a0\n{ACCESS}\n---\n",
    "a comment behind the dashes": f"--- # who may read\n{ACCESS}\n---\n",
    "the key behind the dashes": f"--- {ACCESS}\n---\n",
    "a blank without width above": f"\u200b---\n{ACCESS}\n---\n",
    "a second byte order mark": f"\ufeff\ufeff---\n{ACCESS}\n---\n",
    "dashes an editor made long": f"—-\n{ACCESS}\n—-\n",
    "one long dash": f"—\n{ACCESS}\n—\n",
    "two dashes": f"--\n{ACCESS}\n--\n",
    "four dashes and no end": f"----\n{ACCESS}\n\n",
    "dashes and blanks": f"- - -\n{ACCESS}\n- - -\n",
    "TOML": "+++\naccess = ['group:hr']\n+++\n",
    "an HTML comment above": f"<!-- v2 -->\n---\n{ACCESS}\n---\n",
    "two HTML comments above": f"<!-- v2 -->\n\n<!-- draft -->\n---\n{ACCESS}\n---\n",
    "in an HTML comment": f"<!--\n{ACCESS}\n-->\n",
    "a wide colon": "---\naccess： [group:hr]\n---\n",
    "a wide colon beside another key": "---\ntitle: x\naccess： [group:hr]\n---\n",
    "a blank without width in the key": "---\nacc\u200bess: [group:hr]\n---\n",
    "wide letters": "---\nａｃｃｅｓｓ: [group:hr]\n---\n",
    "inside another key": f"---\nvouch:\n  {ACCESS}\n---\n",
    "in a list": f"---\nmeta:\n  - {ACCESS}\n---\n",
    "in a text": f"---\ntitle: |\n  {ACCESS}\n---\n",
    "a key with more words": "---\naccess-tags: [group:hr]\n---\n",
    "a letter short": "---\nacces: group:hr\n---\n",
    "no dashes at all": f"{ACCESS}\n\n",
    "a field of reStructuredText": ":access: group:hr\n\n",
    "a keyword of Org": "#+ACCESS: group:hr\n\n",
}
PROSE = {
    "prose that begins so": "Access: the building is open from eight to six.\n",
    "in the middle of a page": "# Doors\n\nAccess: north door.\n\naccess: group:hr is how one writes it.\n",
    "an explanation of front matter": f"# Rules\n\n```markdown\n---\n{ACCESS}\n---\n```\n",
    "between two rules in the middle": f"# Rules\n\n---\n\n{ACCESS}\n\n---\n",
    "a title about access": '---\ntitle: "Building access: who and when"\ndescription: easy access\n---\n',
    "a key about access without tags": "---\naccessibility: AA\naccess-hours: 8-18\n---\n",
    "out of force behind a #": f"---\n# {ACCESS}\ntitle: x\n---\n",
    "only out of force": f"---\n# {ACCESS}\n---\n",
    "a frame of dashes": "----------------\nAccess: north door\n----------------\n",
    "an answer in a dialogue": "— Access: who decides?\n— The owner.\n",
    "a list": "- access: yes\n- parking: no\n",
    "a rule and prose": "---\n\nA rule, then text.\n",
    "long dashes and prose": "———\nWelcome.\n\nAccess: by the north door.\n",
}


@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.html"])
@pytest.mark.parametrize("top", NEARLY.values(), ids=NEARLY)
def test_what_nearly_narrows_is_read_by_nobody(top, path):
    with pytest.raises(Unreadable, match=r"access|front matter") as caught:
        parse(Content(path, (top + BODY).encode(), ""))
    assert caught.value.cure


@pytest.mark.parametrize("path", ["a.md", "a.txt"])
@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE)
def test_what_only_speaks_of_access_is_read_by_whom_the_rules_allow(text, path):
    assert parse(Content(path, (text + BODY).encode(), "")).narrowed is None


@pytest.mark.parametrize("more", ["other: {access: x}", "title: 'access: group:x'"])
def test_a_narrowing_in_the_right_form_counts_whatever_else_is_said(more):
    assert parse(Content("a.md", f"---\n{ACCESS}\n{more}\n---\nBody.\n".encode(), "")).narrowed == {"group:hr"}


def test_broken_front_matter_is_located_in_the_document_and_told_how_to_mend():
    with pytest.raises(Unreadable, match=r"line 4: .* that begins in line 3") as caught:
        parse(Content("a.md", b"\n---\ntitle: [unclosed\naccess: group:hr\n---\nBody.\n", ""))
    assert "fix that line" in caught.value.cure


@pytest.mark.parametrize("top", ["-" + " " * 60_000 + "x\n", "<!--" * 16_000, "<!---->" * 9_000, "— " * 30_000,
                                 "access:" + "group " * 10_000, "access" + '" ' * 30_000, "[^" * 30_000])  # fmt: skip
def test_a_hostile_top_takes_no_time(top):
    started = time.perf_counter()
    parse(Content("a.txt", top.encode(), ""))
    assert time.perf_counter() - started < 2
