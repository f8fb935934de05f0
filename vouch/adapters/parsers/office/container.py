"""The zip file that an office document is: looked at before a library opens it, so that nothing in it can swell."""

import io
import zipfile
from typing import Any

from vouch.adapters.parsers.plain.text import refuse_empty
from vouch.errors import Unreadable

MOST_UNPACKED = 200_000_000             # bytes of all members together, as the file itself says; no more is ever read
MOST_MEMBERS = 10_000
_ROOTS = {"[Content_Types].xml", "content.xml"}     # one of which every office document has
_PROLOG = 64 * 1024                     # bytes of a part in which XML may declare entities before its first element
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
_DECLARES = (b"<!DOCTYPE", b"<!ENTITY")
_LARGER = f"unpacks to more than {MOST_UNPACKED:,} bytes"


def open_container(data: bytes, kind: str, suffix: str) -> zipfile.ZipFile:
    """The members of a sound file. Raises Unreadable where it is none, is protected, or is made to hurt.

    Members that are archives themselves are not looked into, here or later.
    """
    refuse_empty(data)
    refuse_ole(data, kind, suffix)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise Unreadable(f"is not a {suffix} file", cure="check the file") from error
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise Unreadable(f"holds more than {MOST_MEMBERS:,} parts", cure="split it")
    if sum(member.file_size for member in members) > MOST_UNPACKED:
        raise Unreadable(_LARGER, cure="simplify or split it")
    if any(member.flag_bits & 1 for member in members):
        raise Unreadable("is protected by a password", cure="save it without one")
    if not _ROOTS & {member.filename for member in members}:
        raise Unreadable(f"is not a {suffix} file", cure="check the file")
    for member in members:
        if member.filename.lower().endswith((".xml", ".rels")):
            _refuse_entities(archive, member)
    return archive


def refuse_ole(data: bytes, kind: str, suffix: str) -> None:
    """Raises Unreadable for the container of older formats, which also holds newer ones that have a password."""
    if data.startswith(_OLE):
        if _LOCKED in data:
            raise Unreadable("is protected by a password", cure="save it without one")
        raise Unreadable(f"is an older kind of {kind}", cure=f"save it as {suffix}")


def safe_tree(data: bytes) -> Any:
    """The XML, read without entities, without the network and without the depth or size that libxml2 thinks odd."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(data, parser)


def _refuse_entities(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Office documents never declare entities; who does means to have them expanded or fetched."""
    with archive.open(member) as part:
        start = part.read(_PROLOG).replace(b"\0", b"").upper()     # in UTF-16 as well
    if any(word in start for word in _DECLARES):
        raise Unreadable("declares XML entities, which office documents do not", cure="save it again")
