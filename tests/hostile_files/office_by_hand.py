"""Office files written part by part, so that they can be wrong in every way."""

import io
import zipfile
from collections.abc import Iterable, Mapping

_HEAD = '<?xml version="1.0" encoding="%s" standalone="yes"?>'
_OFFICE = "http://schemas.openxmlformats.org"
_W = f'xmlns:w="{_OFFICE}/wordprocessingml/2006/main"'
_R = f'xmlns:r="{_OFFICE}/officeDocument/2006/relationships"'
_P = f'xmlns:p="{_OFFICE}/presentationml/2006/main" xmlns:a="{_OFFICE}/drawingml/2006/main" {_R}'
_S = f'xmlns="{_OFFICE}/spreadsheetml/2006/main" {_R}'
_MIME = "application/vnd.openxmlformats-officedocument."
W_BODY = ""
LAUGHS = "<!DOCTYPE x [<!ENTITY l0 'ha'>" + "".join(
    f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 12)) + "]>"  # fmt: skip
_NAMES = "urn:oasis:names:tc:opendocument:xmlns"
ODT = "<office:text>%s</office:text>"


def zipped(parts: Mapping[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def _types(parts: Mapping[str, str]) -> str:
    kinds = "".join(f'<Override PartName="/{name}" ContentType="{_MIME}{kind}+xml"/>' for name, kind in parts.items())
    plain = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    return (f'<Types xmlns="{_OFFICE}/package/2006/content-types">{plain}'
            f'<Default Extension="xml" ContentType="application/xml"/>{kinds}</Types>')  # fmt: skip


def _rels(targets: Iterable[tuple[str, str]]) -> str:
    made = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/officeDocument/2006/relationships/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{made}</Relationships>'


def paragraph(words: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space='preserve'>{words}</w:t></w:r></w:p>"


def docx(body: str, *, head: str = "", styles: str = "", numbering: str = "", encoding: str = "utf-8",
         footnotes: str = "") -> bytes:  # fmt: skip
    said = f"{_HEAD % encoding}{head}<w:document {_W}><w:body>{body}</w:body></w:document>"
    kinds = {"word/document.xml": "wordprocessingml.document.main", "word/styles.xml": "wordprocessingml.styles",
             "word/numbering.xml": "wordprocessingml.numbering", "word/footnotes.xml": "wordprocessingml.footnotes"}
    return zipped({
        "[Content_Types].xml": _types(kinds),
        "_rels/.rels": _rels([("officeDocument", "word/document.xml")]),
        "word/document.xml": said.encode(encoding),
        "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
        "word/numbering.xml": f"<w:numbering {_W}>{numbering}</w:numbering>",
        "word/footnotes.xml": f"<w:footnotes {_W}>{footnotes}</w:footnotes>",
        "word/_rels/document.xml.rels": _rels(
            [("styles", "styles.xml"), ("numbering", "numbering.xml"), ("footnotes", "footnotes.xml")]),
    })  # fmt: skip


def slide(title: str, words: str, more: str = "") -> str:
    def shape(number: int, kind: str, text: str) -> str:
        return (f"<p:sp><p:nvSpPr><p:cNvPr id='{number}' name='s{number}'/><p:cNvSpPr/><p:nvPr><p:ph {kind}/></p:nvPr>"
                f"</p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>")

    return shape(2, "type='title'", title) + shape(3, "idx='1'", words) + more


def pptx(*slides: str, head: str = "", repeat: int = 0) -> bytes:
    """`repeat`: how often the deck names its first slide again."""
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n + 1}"/>' for n in range(len(slides)))
    ids += "".join(f'<p:sldId id="{256 + len(slides) + n}" r:id="rId1"/>' for n in range(repeat))
    names = [f"ppt/slides/slide{n}.xml" for n in range(1, len(slides) + 1)]
    tree = "<p:nvGrpSpPr><p:cNvPr id='1' name=''/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>"
    made = {
        name: f"{_HEAD % 'utf-8'}{head}<p:sld {_P}><p:cSld><p:spTree>{tree}{words}</p:spTree></p:cSld></p:sld>"
        for name, words in zip(names, slides, strict=True)
    }
    kinds = {"ppt/presentation.xml": "presentationml.presentation.main"}
    kinds |= dict.fromkeys(names, "presentationml.slide")
    return zipped({
        "[Content_Types].xml": _types(kinds),
        "_rels/.rels": _rels([("officeDocument", "ppt/presentation.xml")]),
        "ppt/presentation.xml": f"<p:presentation {_P}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": _rels(("slide", name.removeprefix("ppt/")) for name in names),
        **made,
    })  # fmt: skip


def sheet(rows: Iterable[Iterable[str]]) -> str:
    made = []
    for number, cells in enumerate(rows, 1):
        made.append(f'<row r="{number}">' + "".join(f'<c t="str"><v>{cell}</v></c>' for cell in cells) + "</row>")
    return "".join(made)


def xlsx(*sheets: str, head: str = "", before: str = "", strings: str | None = None) -> bytes:
    names = [f"xl/worksheets/sheet{n}.xml" for n in range(1, len(sheets) + 1)]
    listed = "".join(
        f'<sheet name="Sheet{n}" sheetId="{n}" r:id="rId{n}"/>' for n in range(1, len(sheets) + 1)
    )
    made = {
        name: f"{_HEAD % 'utf-8'}{head}<worksheet {_S}>{before}<sheetData>{rows}</sheetData></worksheet>"
        for name, rows in zip(names, sheets, strict=True)
    }
    kinds = {"xl/workbook.xml": "spreadsheetml.sheet.main", **dict.fromkeys(names, "spreadsheetml.worksheet")}
    targets = [("worksheet", name.removeprefix("xl/")) for name in names]
    if strings is not None:
        kinds["xl/sharedStrings.xml"] = "spreadsheetml.sharedStrings"
        targets.append(("sharedStrings", "sharedStrings.xml"))
        made["xl/sharedStrings.xml"] = f"<sst {_S}>{strings}</sst>"
    return zipped({
        "[Content_Types].xml": _types(kinds),
        "_rels/.rels": _rels([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f"<workbook {_S}><sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _rels(targets),
        **made,
    })  # fmt: skip


def odt(words: str, *, head: str = "", manifest: str = "", body: str = ODT) -> bytes:
    names = " ".join(f'xmlns:{name}="{_NAMES}:{name}:1.0"' for name in ("office", "text", "table"))
    inner = body % words if "%s" in body else body
    return zipped({
        "mimetype": "application/vnd.oasis.opendocument.text",
        "META-INF/manifest.xml": f"<manifest>{manifest}</manifest>",
        "content.xml": f"{_HEAD % 'utf-8'}{head}<office:document-content {names}><office:body>{inner}</office:body>"
                       "</office:document-content>",
    })  # fmt: skip


def eml(words: str, kind: str) -> bytes:
    return f"From: ana@acme.test\nSubject: Plan\nMIME-Version: 1.0\nContent-Type: {kind}\n\n{words}".encode()


def old_office() -> bytes:
    """As much of the container of Word, Excel and PowerPoint up to 2003 as it takes to be known."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "WordDocument".encode("utf-16-le") + bytes(2000)


def locked() -> bytes:
    return old_office() + "EncryptedPackage".encode("utf-16-le") + bytes(2000)
