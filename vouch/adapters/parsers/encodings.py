"""Which of the older encodings a text is in, where that is certain enough to build answers on.

Latin alphabets are told apart by their letters: what is read wrongly has
letters together that no language has. Others are told by how often their
letters stand, which charset-normalizer knows. Where two readings are left
that differ, or none, the text stays in doubt.
"""

import re
from collections import Counter
from itertools import pairwise

_SAMPLE = 200_000                       # bytes looked at
_LEAST_LETTERS = 8
_LEAST_MARKED = 3                       # letters that have to fit, where encodings do not agree
_MOST_MARKED = 0.3                      # of the letters of a Latin text may have accents
_MOST_FOREIGN = 0.05                    # of those that have accents
_LEAST_COHERENCE = 0.3                  # how much letters must be spread as in a language
_MOST_CHAOS = 0.1
_LATIN = {                              # encoding → the letters of its languages beyond a to z
    "cp1252": (
        "äöüß", "àâæçèéêëîïôœùûüÿ", "áéíñóúü", "àáâãçéêíóôõúü", "àèéìíîòóùú", "áäëéèïíóöüúĳ", "åäöéü", "åæøéèêóòô",
        "àçèéíïòóúü", "áðéíóúýþæö", "äöõüšž",
    ),
    "cp1250": (
        "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "čćđšž", "ăâîşţ",
    ),
    "cp1254": ("âçğıİîöşüû",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž"),
}  # fmt: skip
_INVENTORIES = {name: [frozenset(one + one.upper() + "ªº") for one in all_] for name, all_ in _LATIN.items()}
_OTHERS = {"cp1251": ("Russian", "Ukrainian", "Bulgarian", "Serbian", "Belarusian"),
           "koi8_r": ("Russian",), "cp1253": ("Greek",)}  # fmt: skip
_LANGUAGES = {
    "cp1252": ("English", "German", "French", "Spanish", "Portuguese", "Italian", "Dutch", "Danish", "Swedish",
               "Norwegian", "Finnish", "Catalan"),
    "cp1250": ("Czech", "Polish", "Hungarian", "Slovak", "Slovene", "Croatian", "Romanian"),
    "cp1254": ("Turkish",),
    "cp1257": ("Lithuanian", "Latvian"),
}  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
# A mark inside a word, a quote that opens behind one, a sign glued to one: DOS or Macintosh, read wrongly.
_ODD = re.compile(
    r"(?<=[^\W\d_])[^\w\s'’´….,:;!?()\[\]{}/&+*=<>|\"#%@~^`\\­–—-](?=[^\W\d_])"
    r"|(?<=[^\W\d_])[‚„ƒˆ˜†‡¤¦¬¯¸±¨¶§]|[¤¦¬¯¸±¨¶¹²³ƒˆ˜†‡«»](?:[^\W\d_]|[¤¦¬¯¸±¨¶ƒˆ˜†‡])(?<![»«][^\W\d_])"
)
_UTF_8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
_HIGH = re.compile(rb"[\x80-\xff]")
_LETTER = re.compile(r"[^\W\d_]")
_MARKED = re.compile(r"[^\W\d_a-zA-Z]")


def detected(data: bytes) -> str | None:
    """The name of the encoding of text that is not UTF-8; None where it stays in doubt."""
    sample = data if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1 or _SAMPLE]
    found = None if _mixed(sample) else _latin(sample) or _other(sample)
    return found if found and _read(data, found) is not None else None


def _latin(sample: bytes) -> str | None:
    texts = {name: text for name in _LATIN if (text := _read(sample, name)) is not None and _plausible(text)}
    if "cp1252" in texts and texts["cp1252"] == texts.get("cp1250"):
        return "cp1252"                 # marks and letters that all of them have at one place
    fitting = [name for name, text in texts.items() if _of_one_language(text, _INVENTORIES[name])]
    if len({texts[name] for name in fitting}) > 1:
        spoken = _languages(sample, tuple(fitting))
        fitting = [name for name in fitting if spoken.get(name) in _LANGUAGES[name]]
    return fitting[0] if len({texts[name] for name in fitting}) == 1 else None


def _other(sample: bytes) -> str | None:
    spoken = _languages(sample, (*_OTHERS, *_LATIN))
    fitting = [name for name in _OTHERS if spoken.get(name) in _OTHERS[name]]
    return fitting[0] if len(fitting) == 1 else None


def _languages(sample: bytes, encodings: tuple[str, ...]) -> dict[str, str]:
    """Encoding → the language its reading looks like, of the readings that look like one, and none looks better."""
    from charset_normalizer import from_bytes

    matches = [m for m in from_bytes(sample, cp_isolation=list(encodings)) if m.chaos <= _MOST_CHAOS]
    best = max((m.coherence for m in matches), default=0.0)
    return {
        name: m.language
        for m in matches if m.coherence >= max(best - 0.03, _LEAST_COHERENCE)
        for name in m.could_be_from_charset if name in encodings
    }  # fmt: skip


def _read(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def _of_one_language(text: str, inventories: list[frozenset[str]]) -> bool:
    """But for a few foreign names."""
    marked = Counter(_MARKED.findall(text))
    few = _MOST_FOREIGN * marked.total()
    if marked.total() < _LEAST_MARKED:
        return False
    return any(sum(n for letter, n in marked.items() if letter not in known) <= few for known in inventories)


def _plausible(text: str) -> bool:
    marked, letters = (sum(1 for _ in pattern.finditer(text)) for pattern in (_MARKED, _LETTER))
    if letters < _LEAST_LETTERS or marked > _MOST_MARKED * letters or _ODD.search(text):
        return False
    return not any(a.islower() and b.isupper() and not b.isascii() for a, b in pairwise(text))


def _mixed(data: bytes) -> bool:
    """Whether much of what is not ASCII is UTF-8 after all."""
    in_pairs = sum(len(match[0]) for match in _UTF_8.finditer(data))
    return in_pairs > 0.3 * sum(1 for _ in _HIGH.finditer(data))
