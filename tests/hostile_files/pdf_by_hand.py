"""PDF files written object by object, so that they can be wrong in every way."""

import zlib
from collections.abc import Mapping

HEAD = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"


def stream(data: bytes, entries: str = "") -> bytes:
    return f"<< /Length {len(data)} {entries} >>\nstream\n".encode() + data + b"\nendstream"


def flate(data: bytes, times: int = 1) -> bytes:
    packed = data
    for _ in range(times):
        packed = zlib.compress(packed, 9)
    names = " ".join(["/FlateDecode"] * times)
    return stream(packed, f"/Filter [{names}]")


def pdf(objects: Mapping[int, bytes | str], trailer: str = "/Root 1 0 R", start: int | None = None) -> bytes:
    """The file of these objects (number → body) with a table of their places; `start` overrides where that is said
    to be."""
    out, places = bytearray(HEAD), dict[int, int]()
    for number, body in objects.items():
        places[number] = len(out)
        out += f"{number} 0 obj\n".encode() + (body if isinstance(body, bytes) else body.encode()) + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {max(objects) + 1}\n0000000000 65535 f \n".encode()
    for number in range(1, max(objects) + 1):
        out += f"{places.get(number, 0):010d} 00000 {'n' if number in places else 'f'} \n".encode()
    out += f"trailer\n<< /Size {max(objects) + 1} {trailer.replace('@table', str(table))} >>\n".encode()
    out += f"startxref\n{table if start is None else start}\n%%EOF\n".encode()
    return bytes(out)


CATALOG = "<< /Type /Catalog /Pages 2 0 R >>"
PAGES = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def page(resources: str = "/Font << /F1 5 0 R >>", contents: str = "4 0 R") -> str:
    return f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << {resources} >> /Contents {contents} >>"


def words(text: str) -> bytes:
    lines = " ".join(f"({line}) Tj 0 -14 Td" for line in text.split("\n"))
    return f"BT /F1 12 Tf 50 700 Td {lines} ET".encode()


def one_page(content: bytes, more: Mapping[int, bytes | str] | None = None, **changes: str) -> bytes:
    """A file of one page; `content` is the whole stream object, `more` are objects from number 6 on."""
    return pdf({1: CATALOG, 2: PAGES, 3: page(**changes), 4: content, 5: FONT, **(more or {})})


def sound(text: str) -> bytes:
    return one_page(stream(words(text)))
