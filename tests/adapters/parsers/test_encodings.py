"""Older encodings are read right or not at all."""

import subprocess
import sys

import pytest

from vouch.adapters.parsers import encodings, parse
from vouch.adapters.parsers.encodings import detected
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.documents.document import Content
from vouch.errors import Unreadable

# Text, its usual encoding, whether that must be found (else it may stay in doubt).
TEXTS = [
    ("Die Größe der Räume übersteigt die Möglichkeiten. Wir müssen Lösungen finden.", "cp1252", 1),
    ("Name;Straße;Ort\nMüller;Hauptstraße 5;München\nJörg;Weg 4;Köln\n", "cp1252", 1),
    ("The “Handbook” – it’s our company’s guide. It costs 40 € a year…  Don’t share it.", "cp1252", 1),
    ("Café au lait costs four euros.", "cp1252", 1),
    ("L'été dernier, les élèves ont été reçus à l'hôtel; ça coûtait très cher, où que l'on allât.", "cp1252", 1),
    ("El niño comió una piña en la mañana. ¿Dónde está el señor? El año próximo habrá más información.", "cp1252", 1),
    ("Alla anställda måste ansöka om semester före månadens slut, eftersom det blir svårare på året.", "cp1252", 1),
    ("Alle medarbejdere skal søge om ferie inden månedens udgang, da det bliver sværere senere på året.", "cp1252", 1),
    ("Todos os funcionários devem solicitar férias até ao fim do mês, pois não será possível.", "cp1252", 1),
    ("Allir starfsmenn verða að sækja um orlof fyrir lok mánaðarins því það verður erfiðara síðar.", "cp1252", 0),
    ("Všichni zaměstnanci musí podat žádost o dovolenou do konce měsíce, protože později bude obtížné.", "cp1250", 0),
    ("Žádost o dovolenou podejte včas.", "cp1250", 0),
    ("Zażółć gęślą jaźń. Wszyscy pracownicy powinni złożyć wniosek o urlop przed końcem miesiąca.", "cp1250", 0),
    ("Minden dolgozónak a hónap végéig kell beadnia a szabadság iránti kérelmét. Őszi időszak, űrlap.", "cp1250", 0),
    ("Svi zaposlenici moraju predati zahtjev za godišnji odmor do kraja mjeseca jer će biti teže.", "cp1250", 0),
    ("Bütün çalışanlar ay sonuna kadar izin için başvuru yapmalıdır. İşyeri güvenliği çok önemlidir.", "cp1254", 0),
    ("Visi darbuotojai privalo pateikti prašymą atostogoms iki mėnesio pabaigos, nes vėliau bus sunkiau.", "cp1257", 0),
    ("Все сотрудники должны подать заявление на отпуск до конца месяца. Потом будет труднее.", "cp1251", 1),
    ("Все сотрудники должны подать заявление на отпуск до конца месяца. Потом будет труднее.", "koi8_r", 1),
    ("Όλοι οι εργαζόμενοι πρέπει να υποβάλουν αίτηση για άδεια πριν από το τέλος του μήνα.", "cp1253", 1),
    ("すべての従業員は月末までに休暇の申請をしなければなりません。", "cp932", 0),
    ("所有员工必须在月底之前提交休假申请。请遵守公司的规定。", "gb18030", 0),
]  # fmt: skip
OTHERS = (
    *("cp437", "cp850", "cp852", "cp866", "mac_roman", "mac_latin2"),
    *("iso8859_2", "iso8859_5", "iso8859_9", "euc_jp"),
)


@pytest.mark.parametrize("often", [1, 20])
@pytest.mark.parametrize(("text", "encoding", "must"), TEXTS)
def test_what_is_read_is_read_right(text: str, encoding: str, must: int, often: int) -> None:
    data = "\n".join([text] * often).encode(encoding)
    found = detected(data)
    assert found is None or data.decode(found) == data.decode(encoding)
    assert found is not None or not must


@pytest.mark.parametrize("encoding", OTHERS)
def test_encodings_that_are_not_told_stay_in_doubt_or_are_read_right_by_another(encoding: str) -> None:
    read = 0
    for text, _, _ in TEXTS:
        try:
            data = text.encode(encoding)
        except UnicodeEncodeError:
            continue
        found, read = detected(data), read + 1
        assert found is None or data.decode(found) == text, (text, found)
    assert read


@pytest.mark.parametrize("data", [b"caf\xe9", b"\x80", b"Caf\xc3\xc3", b"a\xed\xa0\x80b", bytes(range(128, 256)) * 9])
def test_few_bytes_are_no_ground_to_judge_by(data: bytes) -> None:
    assert detected(data) is None


def test_half_utf_8_is_neither() -> None:
    text = "Café au lait costs four euros. " * 4
    assert detected(text.encode() + text.encode("latin-1")) is None


def test_planted_letters_that_no_language_has_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the letters of languages, Czech is read as Western."""
    text = "Všichni zaměstnanci musí podat žádost o dovolenou do konce měsíce, protože později bude obtížné."
    every = frozenset(chr(n) for n in range(0x80, 0x250))
    monkeypatch.setattr(encodings, "_INVENTORIES", {name: [every] for name in encodings._INVENTORIES})
    monkeypatch.setattr(encodings, "_languages", lambda sample, names: {"cp1252": "French"})
    found = detected(text.encode("cp1250"))
    assert found is not None and text.encode("cp1250").decode(found) != text


def test_a_source_may_say_which_encoding_it_is() -> None:
    words = "すべての従業員は月末までに休暇の申請をしなければなりません。"
    with pytest.raises(Unreadable, match=r"cannot be determined .save it as UTF-8"):
        parse(Content("a.txt", words.encode("cp932"), ""))
    assert parse(Content("a.txt", words.encode("cp932"), "", encoding="cp932")).text == words
    assert parse(Content("a.md", words.encode(), "", encoding="cp932")).text == words
    with pytest.raises(Unreadable, match="neither UTF-8 text nor klingon"):
        parse(Content("a.txt", b"caf\xe9", "", encoding="klingon"))


def test_an_encoding_reaches_the_child() -> None:
    from vouch.adapters.models.tokenizer import load_tokenizer

    tokenizer = load_tokenizer()
    parser = IsolatedParser(lambda: tokenizer)
    words = "すべての従業員は月末までに休暇の申請をしなければなりません。"
    try:
        content = Content("a.txt", words.encode("cp932"), "", encoding="cp932")
        found = parser.take_apart("docs", content, size=99, overlap=9)
        assert found.text == words and parser._child is not None     # no other bytes than UTF-8 are looked at here
    finally:
        parser.close()


LAZY = """
import sys
from vouch.adapters.parsers import parse
from vouch.documents.document import Content
parse(Content("a.md", "# Größe".encode(), ""))
parse(Content("a.rst", b"Title\\n=====\\n", ""))
heavy = {"docx", "pptx", "openpyxl", "striprtf", "charset_normalizer", "lxml", "pypdf", "email.parser", "csv"}
print(sorted(heavy & sys.modules.keys()))
"""


def test_text_imports_no_other_format() -> None:
    done = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
