"""Mail: the subject as title, who wrote to whom and when, the words. Attachments are named and not opened."""

import re
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import EmailPolicy
from itertools import groupby, islice
from typing import Any

from vouch.adapters.parsers.markdown.writer import MarkdownWriter, one_line
from vouch.adapters.parsers.plain.text import decode, readable, refuse_empty
from vouch.documents.document import Content, Parsed
from vouch.errors import Unreadable

_HEADERS = ("From", "Date", "To", "Cc")
_MOST_HEADER = 500                      # characters of one that are kept
_MOST_RAW = 2_000                       # characters of one that are decoded: what that takes grows with their square
_MOST_OF_PART = 1_000                   # the same of each part's own, of which there are many
_MOST_PARTS, _MOST_NAMES = 1_000, 50


class _Policy(EmailPolicy):
    """No header is longer than so much, of a mail or of its parts; one that is shown ends with a whole word."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        if name.lower().startswith("content-"):
            return name, value[:_MOST_OF_PART]
        if len(value) > _MOST_RAW:
            value = value[:_MOST_RAW]
            value = value.rsplit(None, 1)[0] if len(value.split()) > 1 else value
        return name, value


# As mail programs write it in English, German, French, Spanish and Italian.
_WROTE = re.compile(r"(?:On|Am|Le|El|Il)\b.{4,300}+(?<=:)|-{2,20}.{3,60}-{2,20}", re.IGNORECASE)


class MailParser:
    def parse(self, content: Content) -> Parsed:
        refuse_empty(content.data)
        message = BytesParser(policy=_Policy()).parsebytes(content.data)
        if not isinstance(message, EmailMessage) or not any(
            _header(message, name) for name in ("From", "Subject", "Date")
        ):
            raise Unreadable("is not an email: it has no sender, subject or date", cure="check the file")
        parts = _parts(message)
        out = MarkdownWriter()
        subject = _header(message, "Subject")
        out.heading(1, subject or "Mail")
        header_lines = [f"{name}: {words}" for name in _HEADERS if (words := _header(message, name))]
        out.paragraph("\n".join(header_lines))
        out.begin()
        _body(out, message, content)
        names = list(islice((name for part in parts if (name := part.get_filename())), _MOST_NAMES))
        if names:
            out.silent("Attachments: " + ", ".join(one_line(name)[:200] for name in names))
        return out.parsed(subject)


def _parts(message: EmailMessage) -> list[Any]:
    found: list[Any] = []
    for part in message.walk():
        found.append(part)
        if len(found) > _MOST_PARTS:
            raise Unreadable(f"holds more than {_MOST_PARTS:,} parts", cure="split it")
    return found


def _header(message: EmailMessage, name: str) -> str:
    """As it is written where the library cannot read it, as some lists of groups."""
    try:
        words = str(message[name] or "")
    except Exception:
        words = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    return one_line(words)[:_MOST_HEADER]


def _body(out: MarkdownWriter, message: EmailMessage, content: Content) -> None:
    part: Any = message.get_body(("plain", "html"))
    if part is None:
        return
    data = part.get_payload(decode=True) or b""
    charset = part.get_content_charset() or None
    if part.get_content_type() != "text/html":
        _words(out, _text(data, charset or content.encoding))
        return
    from vouch.adapters.parsers.web.html import words_of

    out.markdown(words_of(data, charset))


def _words(out: MarkdownWriter, text: str) -> None:
    """What was written, and apart from it an earlier mail, the line that introduces it, and the signature."""
    text, _, signature = text.partition("\n-- \n")
    for quoted, group in groupby(text.split("\n"), key=lambda line: line.startswith(">")):
        lines = list(group)
        if quoted:
            for words, piece in groupby((line.lstrip("> \t") for line in lines), key=bool):
                if words:
                    out.quote(list(piece))
        else:
            out.paragraph("\n".join(f"\n{line}\n" if _WROTE.fullmatch(line.strip()) else line for line in lines))
    for line in signature.split("\n"):
        out.item(line)                  # an item each, so that none becomes part of what was written


def _text(data: bytes, charset: str | None) -> str:
    """As the mail says; by detection where that cannot be."""
    try:
        return readable(data.decode(charset or "utf-8").replace("\r\n", "\n"))
    except (UnicodeDecodeError, LookupError):
        return decode(data).replace("\r\n", "\n")
