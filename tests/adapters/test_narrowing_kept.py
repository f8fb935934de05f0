"""A document that narrows its access is never read as if it did not."""

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
