"""Calls of tools: wrong arguments are told in words that a model can put right, and never passed over."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from pydantic import ValidationError

from vouch.invalid import problems

if TYPE_CHECKING:
    from mcp.types import CallToolResult, InputRequiredResult


class PlainServer(MCPServer[Any]):
    """The SDK's own leaves out arguments that it does not know: a misspelled filter would narrow nothing."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> "CallToolResult | InputRequiredResult":
        tools = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(f"there is no tool of this name; there are {', '.join(tools)}")
        known = tools[name]
        if strange := [argument for argument in arguments if argument not in known]:
            wrong = [{"type": "extra_forbidden", "loc": (argument,)} for argument in strange]
            raise ToolError(f"{problems(wrong)}; {name} takes {', '.join(known)}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ToolError):            # a refusal in our own words; the SDK puts its own before them
                raise cause from None
            if not isinstance(cause, ValidationError):
                raise
            raise ToolError(_told(cause.errors(), known)) from cause


async def no_prompts(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """Middleware: there are none, and the SDK would log a traceback for each that somebody asks for."""
    if ctx.method == "prompts/get":
        raise MCPError(code=INVALID_PARAMS, message="there are no prompts; tools/list has what there is")
    return await call_next(ctx)


def _told(errors: Sequence[Any], known: Mapping[str, Any]) -> str:
    """What is wrong, then what is expected of each argument that is."""
    names = dict.fromkeys(str(one["loc"][0]) for one in errors if one["loc"])
    expected = [f"{name}: {known[name]['description']}" for name in names if "description" in known.get(name, {})]
    return " ".join([f"{problems(list(errors))}.", *expected])
