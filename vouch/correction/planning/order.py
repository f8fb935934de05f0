"""What a planner may order: one strict JSON object, checked against the tools there are."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError, model_validator

from vouch.answering.answer import ToolName
from vouch.errors import BadInput
from vouch.filters import Named, Pattern
from vouch.invalid import problems
from vouch.values.candidate import Passage

LONGEST_QUERY = 1000
LONGEST_ORDER = 10_000                  # characters of the whole object
_FORM = "an object {tool, args, stop, final, thought}"
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
End = Literal["", "final", "stop"]


class InvalidOrder(BadInput):
    """Its cause names fields and rules, and holds no word of the order: a model writes words of what it was told."""


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RagArgs(_Value):
    """A search of the documents; `source`, `path` and `after` narrow it, and never widen it."""

    TOLD: ClassVar = """\
- rag {"query", "source", "path", "after"}: searches the documents for a query of a few words. `source`, `path` (a \
path or a pattern such as guides/**) and `after` (a day, 2026-01-31) narrow it, and may be left out."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUERY)]
    source: Named | None = None
    path: Pattern | None = None
    after: date | None = None


class OpenArgs(_Value):
    """A passage that was found already, with what stands around it; or the document of one, or a section of it."""

    TOLD: ClassVar = """\
- open {"chunk"}: a passage that was found, by its id, with what stands around it.
- open {"document", "section"}: a document that was found, by its name; `section` is a heading in it, and may be left \
out."""

    chunk: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    document: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY)] | None = None
    section: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.chunk is None) == (self.document is None):
            raise ValueError("it names a chunk or a document, and not both")
        if self.section is not None and self.document is None:
            raise ValueError("a section is one of a document")
        return self


class WebArgs(_Value):
    """A search of the web, which the planner of the web alone may order."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUERY)]


Args = RagArgs | OpenArgs | WebArgs
Forms = Mapping[ToolName, type[RagArgs] | type[OpenArgs] | type[WebArgs]]
INSIDE: Mapping[ToolName, type[RagArgs] | type[OpenArgs]] = {"rag": RagArgs, "open": OpenArgs}
WEB: Forms = {"web": WebArgs}
FIELDS = tuple(dict.fromkeys(name for form in INSIDE.values() for name in form.model_fields))
_NAMES = frozenset({"tool", "args", "stop", "final", "thought", *FIELDS})


class _Order(_Value):
    """`final`: what was found answers. `stop`: it ends here, and what was found is all there is."""

    tool: ToolName | None
    args: dict[str, JsonValue]
    stop: Annotated[bool, Field(strict=True)]
    final: Annotated[bool, Field(strict=True)]
    thought: Annotated[str, StringConstraints(max_length=500)]

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if (self.tool is not None) + self.stop + self.final != 1:
            raise ValueError("it names a tool, or says final, or says stop, and one of these alone")
        return self


class Order(_Value):
    """A checked one. `args` is None where it `ends` the search."""

    tool: ToolName | None
    args: Args | None
    ends: End
    thought: str


def read_order(text: str, tools: Forms = INSIDE) -> Order:
    """Of one of the `tools`. Raises InvalidOrder."""
    if len(text) > LONGEST_ORDER:
        raise InvalidOrder(f"the order has more than {LONGEST_ORDER} characters")
    try:
        raw: Any = json.loads(text, object_pairs_hook=_each_once)
        order = _Order.model_validate(raw)
        named = {name: value for name, value in order.args.items() if value is not None}
        if order.tool is not None and order.tool not in tools:
            raise InvalidOrder("that tool is not for this planner", cure=f"one of {', '.join(tools)}")
        args = None if order.tool is None else tools[order.tool].model_validate(named)
        if not _is_text(raw):
            raise InvalidOrder("the order holds a zero character, or half of a character")
    except ValidationError as error:
        raise InvalidOrder(problems(_nameless(error.errors(include_input=False))), cure=_FORM) from error
    except (ValueError, RecursionError) as error:
        raise InvalidOrder("the order is not JSON", cure=_FORM) from error
    ends: End = "final" if order.final else "stop" if order.stop else ""
    return Order(tool=order.tool, args=args, ends=ends, thought=order.thought)


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Raises ValueError: which of two values is meant nobody knows."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a field stands there twice")
    return found


def _is_text(raw: Any) -> bool:
    """Whether all of it can be kept and told. The object was read from JSON, and is not deep any more."""
    if isinstance(raw, dict):
        return all(_is_text(name) and _is_text(value) for name, value in raw.items())
    if isinstance(raw, list):
        return all(map(_is_text, raw))
    return not isinstance(raw, str) or not _NO_TEXT.search(raw)


def _nameless(errors: Sequence[Any]) -> list[Any]:
    """Without names that the order made up."""
    return [{**one, "loc": [part if part in _NAMES else "a field" for part in one["loc"]]} for one in errors]


def written(tool: ToolName | None, args: dict[str, Any], thought: str, *, final: bool = False) -> str:
    """An order as JSON. Without a tool it ends the search: `final` where what was found answers, else `stop`."""
    whole = {"tool": tool, "args": args, "stop": tool is None and not final, "final": final, "thought": thought}
    return json.dumps(whole, ensure_ascii=False)


def document_name(passage: Passage) -> str:
    """SOURCE:PATH, as an order names the document of a passage."""
    return ":".join(passage.document)


def call_name(tool: ToolName, args: Args) -> str:
    """Equal for equal calls, however they were written."""
    told = args.model_dump(mode="json", exclude_none=True)
    if not isinstance(args, OpenArgs):
        told["query"] = " ".join(args.query.casefold().split())
    return f"{tool} {json.dumps(told, ensure_ascii=False, sort_keys=True)}"
