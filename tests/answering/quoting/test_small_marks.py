"""Entities, footnotes, scripts without blanks, and signs of a table inside its cells: what people read of them."""

import pytest
from answering.quoting.test_line_formats import ask, evidences, quoted


@pytest.mark.parametrize(("text", "expected"), [
    ("Ten years &mdash; or &#50;0 &amp; more.", "Ten years — or 20 & more."),
    ("**&mdash;**&lt;b&gt; it.", "—<b> it."),
    ("Write `&mdash;` or \\&mdash; or &nosuch; or &.", "Write `&mdash;` or &mdash; or &nosuch; or &."),
    ("See [R&amp;D](http://x.y?a=1&copy;=2) now.", "See R&D now."),
])
def test_entities(text: str, expected: str) -> None:
    assert quoted("a.md", text) == [expected]


FOOTNOTES = "Invoices are kept for ten years[^1]. Use `[^1]` and [^0-9] there.\n\n[^1]: Section 147 of the tax code.\n"


def test_footnotes() -> None:
    first, note = quoted("a.md", FOOTNOTES)
    assert first == "Invoices are kept for ten years. Use `[^1]` and [^0-9] there."
    assert note == "Section 147 of the tax code."
    assert quoted("a.md", "```\n[^1]: x\n```\n\n[^1]: y") == ["```\n[^1]: x\n```", "y"]
    assert "147" not in ask("a.md", FOOTNOTES, "How long are invoices kept for, ten years?")


def test_sentences_of_japanese_have_no_blanks_between_them() -> None:
    text = "始業時刻は午前九時です。\n休憩は一時間とします。終業は\n午後六時です。"
    assert quoted("a.md", text)[0] == "始業時刻は午前九時です。休憩は一時間とします。"
    assert quoted("a.md", text)[-1].endswith("終業は午後六時です。")
    assert quoted("a.md", "One.\nTwo.") == ["One. Two."]


def test_an_item_that_begins_in_an_item_has_one_mark() -> None:
    text = "# Desk\n\nBring these:\n\n1. * A **laptop** and its charger.\n2. - + A badge that opens the door.\n"
    shown = " ".join(quoted("a.md", text))
    assert "A laptop and its charger." in shown and "A badge that opens the door." in shown
    assert "*" not in shown and "+" not in shown


def test_signs_between_columns_are_quoted_inside_cells() -> None:
    text = 'Lieferant;"Preis; netto";Bemerkung\nMüller;"1.250,00";"sagte: nein"\nBrandt;"75,00";um 11:30\n'
    assert quoted("a.csv", text) == [
        'Lieferant: Müller; "Preis; netto": 1.250,00; Bemerkung: "sagte: nein"',
        'Lieferant: Brandt; "Preis; netto": 75,00; Bemerkung: um 11:30',
    ]


SENTENCE = "The cafeteria opens at half past eleven."


@pytest.mark.parametrize(("path", "text"), [
    ("a.txt", f"Cafeteria menu and hours\n\n{SENTENCE}\n"),
    ("a.txt", f"Cafeteria menu and hours\n=====\n\n{SENTENCE}\n"),
    ("a.rtf", "{\\rtf1\\ansi {\\b Cafeteria menu and hours}\\par " + SENTENCE + "\\par}"),
    ("a.html", f"<html><body><h1>Cafeteria <i>menu</i> and hours</h1>{SENTENCE}</body></html>"),
    ("a.html", f"<html><body><div><h2>Cafeteria menu and hours</h2><span>{SENTENCE}</span></div></body></html>"),
])
def test_a_title_is_not_joined_with_the_sentence_after_it(path: str, text: str) -> None:
    assert quoted(path, text) == [SENTENCE]


@pytest.mark.parametrize("first", [
    "Hello everybody,", "Wifi password: guest123", "1. Open it", "- Open it", "The office is closed.", "ana@acme.test",
])
def test_a_first_line_that_is_no_title_stays_quotable(first: str) -> None:
    assert any(first.lstrip("-1. ") in one for one in quoted("a.txt", f"{first}\n\n{SENTENCE}\n"))


def test_only_sentences_of_paragraphs_go_together() -> None:
    text = f"# Menu\n\n{SENTENCE} It closes at two.\n\nBring a tray.\n\nBest\nJürgen\n\nLunch is good."
    assert quoted("a.md", text) == [
        f"{SENTENCE} It closes at two.", "It closes at two. Bring a tray.", "Best Jürgen", "Lunch is good."]


MAIL = """Hi all,

the offsite takes place in June in Lindau. The hotel is paid.

Best
Jürgen

On 8 March Ana wrote:
> Where is it?
> # Who comes?
>> Nobody knows.
--{}
Jürgen Krause, Head of Offsites.
"""


def test_a_mail_is_quoted_without_what_is_below_it() -> None:
    from email.message import EmailMessage

    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Offsite", "a@b.test"
    mail.set_content(MAIL.format(" "))
    mail.add_attachment(b"x", maintype="application", subtype="pdf", filename="agenda.pdf")
    text = mail.as_bytes().decode("utf-8", "surrogateescape")
    shown = quoted("a.eml", text)
    assert shown[1:] == [
        "Hi all,", "the offsite takes place in June in Lindau. The hotel is paid.", "Best Jürgen",
        "On 8 March Ana wrote:",
        "Where is it? # Who comes?", "# Who comes? Nobody knows.",
        "Jürgen Krause, Head of Offsites."]
    assert "Attachments: agenda.pdf" in evidences("a.eml", text)[-1].passage.text
