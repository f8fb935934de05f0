"""PDF files that bite: loops, trees without end, and streams that swell."""

import zlib

from hostile_files import pdf_by_hand as by_hand
from hostile_files.bite import MB, Bite, fixed, noise, times
from hostile_files.pdf_by_hand import CATALOG, FONT, PAGES, flate, one_page, page, pdf, stream, words


def pdf_bites() -> list[Bite]:
    sound = by_hand.sound("Sound words on a page")
    loop = page(resources="/Font << /F1 5 0 R >> /XObject << /X 6 0 R >>")
    again = stream(b"/X Do /X Do", "/Type /XObject /Subtype /Form /Resources << /XObject << /X 6 0 R >> >>")
    to_unicode = "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 6 0 R >>"
    ranges = b"1 beginbfrange\n<00000000> <FFFFFFFF> <0000>\nendbfrange\n" * 50
    image = stream(b"x", "/Type /XObject /Subtype /Image /Width 1000000000 /Height 1000000000 /BitsPerComponent 16 "
                   "/ColorSpace /DeviceRGB /Filter /DCTDecode")
    return [
        Bite("truncated.pdf", fixed(sound[: len(sound) // 2])),
        Bite("cut_tail.pdf", fixed(sound[:-30])),
        Bite("head_only.pdf", fixed(by_hand.HEAD), "cannot be parsed"),
        Bite("encrypted.pdf", fixed(_encrypted()), "password"),
        Bite("page_tree_cycle.pdf", fixed(pdf({1: CATALOG, 2: "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"}))),
        Bite("page_tree_long_cycle.pdf", fixed(pdf({
            1: CATALOG, 2: "<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 4 >>",
            3: "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 2 0 R] /Count 2 >>"}))),
        Bite("parent_cycle.pdf", fixed(pdf({
            1: CATALOG, 2: "<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 2 0 R >>",
            3: "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>", 4: stream(words("words"))}))),
        Bite("page_tree_shared.pdf", fixed(_shared_tree(30))),
        Bite("page_tree_deep.pdf", lambda share: _deep_tree(int(20_000 * share))),
        Bite("prev_loop.pdf", fixed(pdf(
            {1: CATALOG, 2: PAGES, 3: page(), 4: stream(words("words")), 5: FONT}, "/Root 1 0 R /Prev @table"))),
        Bite("xref_nowhere.pdf", fixed(pdf({1: CATALOG, 2: PAGES, 3: page()}, start=9_999_999))),
        Bite("xref_at_itself.pdf", fixed(by_hand.HEAD + b"startxref\n15\n%%EOF\n")),
        Bite("xref_huge.pdf", fixed(
            by_hand.HEAD + b"xref\n0 2000000000\n" + b"0000000000 65535 f \n" * 50 + b"trailer\n<< /Root 1 0 R >>\n"
            b"startxref\n15\n%%EOF\n")),
        Bite("xref_stream_loop.pdf", fixed(_xref_stream(f"/Prev {len(by_hand.HEAD)}"))),
        Bite("xref_stream_size.pdf", fixed(_xref_stream("/Index [0 2000000000]"))),
        Bite("object_stream_loop.pdf", fixed(_object_stream_loop())),
        Bite("object_cycle.pdf", fixed(pdf({1: "2 0 R", 2: "1 0 R"}))),
        Bite("length_cycle.pdf", fixed(one_page(b"<< /Length 4 0 R >>\nstream\n" + words("x") + b"\nendstream"))),
        Bite("form_in_itself.pdf", fixed(pdf(
            {1: CATALOG, 2: PAGES, 3: loop, 4: stream(b"/X Do"), 5: FONT, 6: again}))),
        Bite("forms_doubling.pdf", fixed(_doubling_forms(30))),
        Bite("flate_1000.pdf", lambda share: one_page(flate(b" " * int(600 * MB * share)))),
        Bite("flate_twice.pdf", lambda share: one_page(flate(b" " * int(600 * MB * share), 2))),
        Bite("flate_text.pdf", lambda share: one_page(flate(b"BT /F1 12 Tf " + b"(word) Tj " * int(6 * MB * share)))),
        Bite("filters_1000.pdf", fixed(one_page(flate(words("words"), 1000)))),
        Bite("filters_wrong.pdf", fixed(one_page(stream(b"x" * 1000, f"/Filter [{'/ASCIIHexDecode ' * 50_000}]")))),
        Bite("run_length.pdf", lambda share: one_page(
            stream(zlib.compress(b"\x81 " * int(4 * MB * share)), "/Filter [/FlateDecode /RunLengthDecode]"))),
        Bite("lzw.pdf", fixed(one_page(stream(noise(1), "/Filter /LZWDecode")))),
        Bite("predictor.pdf", fixed(one_page(stream(
            zlib.compress(bytes(100_000)),
            "/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 2000000000 /Colors 32 >>")))),
        Bite("image.pdf", fixed(one_page(stream(words("Words beside it") + b" /X Do"), {6: image},
                                          resources="/Font << /F1 5 0 R >> /XObject << /X 6 0 R >>")), ""),
        Bite("million_pages.pdf", fixed(pdf(
            {1: CATALOG, 2: "<< /Type /Pages /Kids [3 0 R] /Count 1000000 >>", 3: page(),
             4: stream(words("words")), 5: FONT})), ""),
        Bite("one_page_often.pdf", lambda share: pdf(
            {1: CATALOG, 2: f"<< /Type /Pages /Kids [{'3 0 R ' * int(1_000_000 * share)}] /Count 1000000 >>",
             3: page(), 4: stream(words("words")), 5: FONT})),
        Bite("one_stream_often.pdf", lambda share: one_page(
            stream(words("words " * 100)), contents="[" + "4 0 R " * int(500_000 * share) + "]")),
        Bite("content_18MB.pdf", lambda share: one_page(
            stream(b"BT /F1 12 Tf " + b"(word) Tj " * int(1_800_000 * share) + b"ET"))),
        Bite("operators.pdf", times("q ", 9 * MB, one_page(b"@").decode("latin-1").split("@")[0] +
                                     "<< /Length 18000000 >>\nstream\n", "\nendstream")),
        Bite("open_arrays.pdf", lambda share: one_page(stream(b"[" * int(5 * MB * share)))),
        Bite("open_dictionaries.pdf", lambda share: one_page(stream(b"<<" * int(2 * MB * share)))),
        Bite("open_strings.pdf", lambda share: one_page(stream(b"(" * int(10 * MB * share)))),
        Bite("deep_object.pdf", lambda share: one_page(
            stream(words("x")), {6: b"[" * 100_000 + b"]" * 100_000}, resources="/Font 6 0 R")),
        Bite("inline_image.pdf", lambda share: one_page(stream(b"BI /W 1 ID " + b"EI" * int(5 * MB * share)))),
        Bite("unicode_map.pdf", fixed(pdf(
            {1: CATALOG, 2: PAGES, 3: page(), 4: stream(b"BT /F1 12 Tf <0041> Tj ET"), 5: to_unicode,
             6: stream(ranges)}))),
        Bite("widths.pdf", fixed(pdf(
            {1: CATALOG, 2: PAGES, 3: page(), 4: stream(words("words")),
             5: "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [6 0 R] >>",
             6: "<< /Type /Font /Subtype /CIDFontType2 /W [0 2000000000 500] >>"}))),
        Bite("title.pdf", lambda share: pdf(
            {1: CATALOG, 2: PAGES, 3: page(), 4: stream(words("words " * 50)), 5: FONT,
             6: f"<< /Title ({'T' * int(15 * MB * share)}) >>"}, "/Root 1 0 R /Info 6 0 R")),
        Bite("no_pages.pdf", fixed(pdf({1: CATALOG, 2: "<< /Type /Pages /Kids [] /Count 0 >>"})), "no text"),
        Bite("end_marks.pdf", times("%%EOF\n", 3 * MB, "%PDF-1.4\n")),
        Bite("numbers.pdf", times("1 0 obj\n", 2 * MB, "%PDF-1.4\n")),
    ]  # fmt: skip


def _encrypted() -> bytes:
    import io

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(PdfReader(io.BytesIO(by_hand.sound("Secret words"))))
    writer.encrypt("secret")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _shared_tree(depth: int) -> bytes:
    """2 ** depth pages by sharing: each level names the next one twice."""
    objects: dict[int, bytes | str] = {1: CATALOG}
    for n in range(2, depth + 2):
        objects[n] = f"<< /Type /Pages /Kids [{n + 1} 0 R {n + 1} 0 R] /Count {2 ** (depth + 2 - n)} >>"
    objects[depth + 2] = "<< /Type /Page /MediaBox [0 0 9 9] >>"
    return pdf(objects)


def _deep_tree(depth: int) -> bytes:
    objects: dict[int, bytes | str] = {1: CATALOG}
    for n in range(2, depth + 2):
        objects[n] = f"<< /Type /Pages /Kids [{n + 1} 0 R] /Count 1 >>"
    objects[depth + 2] = "<< /Type /Page /MediaBox [0 0 9 9] >>"
    return pdf(objects)


def _doubling_forms(depth: int) -> bytes:
    """A form that draws the next one twice, and so on: 2 ** depth times the words."""
    objects: dict[int, bytes | str] = {
        1: CATALOG, 2: PAGES, 3: page(resources="/Font << /F1 5 0 R >> /XObject << /X 6 0 R >>"),
        4: stream(b"/X Do"), 5: FONT,
    }  # fmt: skip
    for n in range(6, 6 + depth):
        objects[n] = stream(b"/X Do /X Do", f"/Type /XObject /Subtype /Form /Resources << /XObject << /X {n + 1} 0 R"
                            " >> >>")
    objects[6 + depth] = stream(words("ha"), "/Type /XObject /Subtype /Form /Resources << /Font << /F1 5 0 R >> >>")
    return pdf(objects)


def _xref_stream(entries: str) -> bytes:
    facts = f"/Type /XRef /W [1 2 1] /Size 10 /Root 1 0 R /Filter /FlateDecode {entries}"
    table = stream(zlib.compress(bytes(40)), facts)
    return by_hand.HEAD + b"9 0 obj\n" + table + f"\nendobj\nstartxref\n{len(by_hand.HEAD)}\n%%EOF\n".encode()


def _object_stream_loop() -> bytes:
    """The catalogue is said to lie in stream 8, which is said to lie in itself."""
    out = bytearray(by_hand.HEAD)
    out += b"8 0 obj\n" + stream(b"1 0 << /Type /Catalog /Pages 2 0 R >>", "/Type /ObjStm /N 1 /First 4 /Extends 8 0 R")
    out += b"\nendobj\n"
    table = len(out)
    rows = b"".join(bytes([kind]) + a.to_bytes(2, "big") + bytes([b]) for kind, a, b in (
        (0, 0, 0), (2, 8, 0), (2, 8, 1), (2, 8, 2), (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0), (2, 8, 3),
        (1, table, 0)))
    out += b"9 0 obj\n" + stream(rows, "/Type /XRef /W [1 2 1] /Size 10 /Root 1 0 R") + b"\nendobj\n"
    out += f"startxref\n{table}\n%%EOF\n".encode()
    return bytes(out)
