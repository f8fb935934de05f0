"""A question about several names, asked of each: "Are Falcon and Heron on call?"."""

import re

_MOST_NAMES = 8
_BEGINS = (
    "What|When|Where|Who|Whom|Whose|Which|Why|How|Is|Are|Was|Were|Do|Does|Did|Can|Could|May|Must|Has|Have|Had|Will|"
    "Should|Would|Compare|The|A|An|In|On|At|For|Of|If|And|Or|Both|Either|Tell|Show|List|Find|I"
)
_REST = r"[\w’'&-]*+"
_NAME = rf"(?!(?:{_BEGINS})\b)[A-Z]{_REST}(?: (?!(?:{_BEGINS})\b)[A-Z0-9]{_REST}){{0,3}}"
_FIRST = r"(?<![\w’'&-])"               # a name is not begun in its middle
_JOINED = (
    re.compile(rf"{_FIRST}(?P<all>{_NAME}(?:, {_NAME}){{1,7}},? (?:and|or) {_NAME})"),
    re.compile(rf"\b[Bb]oth (?P<all>{_NAME} and {_NAME})"),
    re.compile(rf"{_FIRST}(?P<all>{_NAME} (?:or|as well as|versus|vs\.?) {_NAME})"),
    re.compile(rf"\b(?:[Aa]re|[Ww]ere|[Dd]o|[Hh]ave) (?P<all>{_NAME} and {_NAME})"),
)
"""Ways in which names are surely several: "Research and Development" is one."""
_LINK = re.compile(r",? (?:and|or|as well as|versus|vs\.?) |, ")


def by_name(question: str) -> list[str]:
    """The question with each of the names in the place of all; nothing where it does not join any."""
    for pattern in _JOINED:
        found = pattern.search(question)
        if found is None:
            continue
        names = list(dict.fromkeys(_LINK.split(found["all"])))
        before, after = question[: found.start("all")], question[found.end("all") :]
        before = re.sub(r"\b(?:both|either) $", "", before, flags=re.IGNORECASE)
        return [f"{before}{name}{after}".strip(" ,.?;") for name in names[:_MOST_NAMES]] if len(names) > 1 else []
    return []
