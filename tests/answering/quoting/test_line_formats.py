"""AsciiDoc and reStructuredText are quoted as Markdown is: rows by column, lists by item, without marks."""

import pytest
from answering.quoting.test_blocks import WRITER
from answering.quoting.test_shown_is_quoted import ANALYSER, TOKENIZER
from homes.small_world import passage

from vouch.adapters.parsers import parse
from vouch.answering.answer_text import answer_text
from vouch.answering.quoting.quotable import quotables
from vouch.answering.verification.citations import verify
from vouch.chunking.document_chunks import chunk_document
from vouch.documents.chunk import chunk_header
from vouch.documents.document import Content
from vouch.ports.language import Evidence


def evidences(path: str, text: str, size: int = 180) -> list[Evidence]:
    parsed = parse(Content(path, text.encode(), ""))
    return [
        Evidence(n, passage(
            parsed.text[c.start : c.end], chunk_id=c.id, path=path, markup=c.markup, has_table=c.has_table,
            header=chunk_header(parsed.text, c), start=c.start, end=c.end, first_line=c.first_line,
            last_line=c.last_line,
        ), ((0, c.end - c.start),), 0.9)
        for n, c in enumerate(chunk_document("s", path, parsed, TOKENIZER, size=size), 1)
    ]


def ask(path: str, text: str, question: str) -> str:
    given = evidences(path, text)
    verified = verify(WRITER.write(question, given), given, ANALYSER.terms)
    assert verified.warnings == ()
    return answer_text(verified.sentences)


def quoted(path: str, text: str, size: int = 180) -> list[str]:
    return [one.text for given in evidences(path, text, size) for one in quotables(given)]


ON_A_LINE = """[cols="1,2"]
|===
|Code |Meaning

|429 |Too many requests; retry after `Retry-After` seconds
|451 |*Blocked* in this country
|===
"""
ROWS = ["Code: 429; Meaning: \"Too many requests; retry after `Retry-After` seconds\"",
        "Code: 451; Meaning: Blocked in this country"]


@pytest.mark.parametrize("table", [ON_A_LINE, ON_A_LINE.replace("\n|451", "\n\n|451").replace(" |Too", "\n|Too")
                                   .replace(" |*B", "\n|*B")])
def test_rows_of_asciidoc_are_quoted_by_column(table: str) -> None:
    assert quoted("a.adoc", f"= API\n\n{table}\nThe end of it.\n") == [*ROWS, "The end of it."]
    [row] = [one for e in evidences("a.adoc", table) for one in quotables(e) if "451" in one.text]
    [(start, end)] = row.spans
    assert row.evidence.passage.text[start:end].strip("|").split("|")[0].strip() == "451"
    assert row.evidence.passage.text[start:end].endswith("*Blocked* in this country")


def test_rows_of_a_cut_table_keep_their_columns() -> None:
    rows = "\n\n".join(f"|{n} |meaning {n} of the code" for n in range(100, 160))
    shown = quoted("a.adoc", f"|===\n|Code |Meaning\n\n{rows}\n|===\n", size=60)
    assert shown == [f"Code: {n}; Meaning: meaning {n} of the code" for n in range(100, 160)]


def test_a_table_without_a_header_is_quoted_by_its_cells() -> None:
    assert quoted("a.adoc", "|===\n|429 |Too many\n|451 |Blocked\n|===\n") == ["429, Too many", "451, Blocked"]


def test_emphasis_of_asciidoc_is_not_shown_and_code_is() -> None:
    text = "It allows *600* requests, _not_ **more**, of `*.log` and 2*3*4, my_own_name, \\*so* and * so.\n"
    assert quoted("a.adoc", text) == [
        "It allows 600 requests, not more, of `*.log` and 2*3*4, my_own_name, \\*so* and * so."]
    assert quoted("a.rst", "No longer than *four* seconds, **never** ``a*b*``.\n") == [
        "No longer than four seconds, never ``a*b*``."]


RST = """Migrations
==========

To write a migration, follow these steps:

#. Create a file with ``mig``
   and a name.
#. Write the functions.

   #. Inside.
#. Run it.

Other steps of the migration:

#. Begin again.

A migration must not hold a lock. Write it like this, please.

.. code-block:: python
   :linenos:

   #. no item
   class Up(Migration): pass
"""


def test_numbered_items_of_rst_are_a_list() -> None:
    assert ask("a.rst", RST, "How do I write a migration, follow these steps?").startswith(
        "To write a migration, follow these steps:\n1. Create a file with ``mig``\n   and a name.\n"
        "2. Write the functions.\n   1. Inside.\n3. Run it. [1]")
    assert "1. Begin again." in parse(Content("a.rst", RST.encode(), "")).text


def test_a_directive_is_not_shown_and_its_code_is() -> None:
    shown = ask("a.rst", RST[RST.index("A migration must") :], "How do I write it like this, please?")
    assert "code-block" not in shown and "linenos" not in shown and "#. no item\nclass Up(Migration): pass" in shown
    assert not any("code-block" in one for one in quoted("a.rst", RST))
    assert parse(Content("a.rst", RST.encode(), "")).text.count("\n") == RST.count("\n")


def test_numbered_items_of_asciidoc_are_a_list() -> None:
    text = ("To send it:\n\n. Get a key.\n.. Ask for it.\n. Send it.\n+\n----\n. no item\n----\n. Wait.\n"
            "\nThen.\n\n. Again.\n")
    parsed = parse(Content("a.adoc", text.encode(), "")).text
    assert parsed == (text.replace(". Get", "1. Get").replace(".. Ask", "   1. Ask").replace(". Send", "2. Send")
                      .replace(". Wait", "3. Wait").replace(". Again", "1. Again"))
    assert "1. Get a key.\n   1. Ask for it.\n2. Send it." in ask("a.adoc", text, "How do I send it, get a key?")
