"""What a planner may order: one strict JSON object, checked against the tools there are."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError, model_validator

from vouch.errors import BadInput
from vouch.filters import Named, Pattern
from vouch.invalid import problems
from vouch.values.candidate import Passage

LONGEST_QUERY = 1000
LONGEST_ORDER = 10_000                  # characters of the whole object
_FORM = "an object {tool, args, stop, final, thought}"
ToolName = Literal["rag", "open", "web"]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RagArgs(_Value):
    """A search of the documents; `source`, `path` and `after` narrow it, and never widen it."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUERY)]
    source: Named | None = None
    path: Pattern | None = None
    after: date | None = None


class OpenArgs(_Value):
    """A passage that was found already, with what stands around it; or the document of one, or a section of it."""

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
INSIDE: Forms = {"rag": RagArgs, "open": OpenArgs}
WEB: Forms = {"web": WebArgs}


class _Order(_Value):
    tool: ToolName | None
    args: dict[str, JsonValue]
    stop: Annotated[bool, Field(strict=True)]
    final: Annotated[bool, Field(strict=True)]
    thought: Annotated[str, StringConstraints(max_length=500)]

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if (self.tool is None) != (self.stop or self.final):
            raise ValueError("it names a tool, or says stop or final, and not both")
        return self


class Order(_Value):
    """A checked one. `args` is None where it ends the search."""

    tool: ToolName | None
    args: Args | None
    final: bool
    thought: str


def read_order(text: str, tools: Forms = INSIDE) -> Order:
    """Of one of the `tools`. Raises BadInput naming fields and rules, never what stands in them."""
    if len(text) > LONGEST_ORDER:
        raise BadInput(f"the order has more than {LONGEST_ORDER} characters")
    try:
        raw: Any = json.loads(text)
        order = _Order.model_validate(raw)
        named = {name: value for name, value in order.args.items() if value is not None}
        if order.tool is not None and order.tool not in tools:
            raise BadInput("that tool is not for this planner", cure=f"one of {', '.join(tools)}")
        args = None if order.tool is None else tools[order.tool].model_validate(named)
    except ValidationError as error:
        raise BadInput(problems(error.errors(include_input=False)), cure=_FORM) from error
    except (ValueError, RecursionError) as error:
        raise BadInput("the order is not JSON", cure=_FORM) from error
    return Order(tool=order.tool, args=args, final=order.final, thought=order.thought)


def written(tool: ToolName | None, args: dict[str, Any], thought: str, *, final: bool = False) -> str:
    """An order as JSON; without a tool it ends the search, as `final` where all is found."""
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
