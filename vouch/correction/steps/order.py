"""What a planner may order: one strict JSON object, checked against the tools there are."""

import json
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError, model_validator

from vouch.errors import BadInput
from vouch.filters import Named, Pattern
from vouch.invalid import problems

LONGEST_QUERY = 1000
LONGEST_ORDER = 10_000                  # characters of the whole object
_FORM = "an object {tool, args, stop, final, thought}"
ToolName = Literal["rag", "open"]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RagArgs(_Value):
    """A search of the documents; `source`, `path` and `after` narrow it, and never widen it."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUERY)]
    source: Named | None = None
    path: Pattern | None = None
    after: date | None = None


class OpenArgs(_Value):
    """A passage that was found already, with what stands around it."""

    chunk: Annotated[str, StringConstraints(min_length=1, max_length=200)]


Args = RagArgs | OpenArgs
ARGS: dict[ToolName, type[RagArgs] | type[OpenArgs]] = {"rag": RagArgs, "open": OpenArgs}


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


def read_order(text: str) -> Order:
    """Raises BadInput naming fields and rules, never what stands in them."""
    if len(text) > LONGEST_ORDER:
        raise BadInput(f"the order has more than {LONGEST_ORDER} characters")
    try:
        raw: Any = json.loads(text)
        told = _Order.model_validate(raw)
        args = None if told.tool is None else ARGS[told.tool].model_validate(told.args)
    except ValidationError as error:
        raise BadInput(problems(error.errors(include_input=False)), cure=_FORM) from error
    except (ValueError, RecursionError) as error:
        raise BadInput("the order is not JSON", cure=_FORM) from error
    return Order(tool=told.tool, args=args, final=told.final, thought=told.thought)


def written(tool: ToolName | None, args: dict[str, Any], thought: str, *, final: bool = False) -> str:
    """An order as JSON; without a tool it ends the search, as `final` where all is found."""
    whole = {"tool": tool, "args": args, "stop": tool is None and not final, "final": final, "thought": thought}
    return json.dumps(whole, ensure_ascii=False)


def call_name(tool: ToolName, args: Args) -> str:
    """Equal for equal calls, however they were written."""
    told = args.model_dump(mode="json", exclude_none=True)
    if isinstance(args, RagArgs):
        told["query"] = " ".join(args.query.casefold().split())
    return f"{tool} {json.dumps(told, ensure_ascii=False, sort_keys=True)}"
