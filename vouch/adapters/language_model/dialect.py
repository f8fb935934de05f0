"""What an endpoint takes of OpenAI's chat completions, and how it is learned from what it refuses."""

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

Named = Literal["auto", "openai", "vllm", "ollama"]
TokensField = Literal["max_tokens", "max_completion_tokens", ""]
FormKind = Literal["json_schema", "json_object", ""]
Message = dict[str, str]


class Form(NamedTuple):
    """The JSON that is asked for. `tokens`: the longest reply."""

    name: str
    schema: Mapping[str, Any]
    tokens: int


@dataclass(frozen=True, slots=True)
class Dialect:
    """`tokens_field` and `form` empty: neither is sent. Not `fixed`: both may be learned."""

    tokens_field: TokensField = "max_tokens"
    form: FormKind = "json_schema"
    temperature: bool = True
    system: bool = True                 # takes a message of the role `system`
    thinks: bool = False                # writes thoughts first, which need room beside the reply
    fixed: bool = False

    def body(self, model: str, messages: Sequence[Message], form: Form, thinking_tokens: int) -> dict[str, Any]:
        """The arguments of one request."""
        arguments: dict[str, Any] = {"model": model, "messages": list(messages) if self.system else _merged(messages)}
        if self.temperature:
            arguments["temperature"] = 0
        if self.tokens_field:
            arguments[self.tokens_field] = form.tokens + (thinking_tokens if self.thinks else 0)
        if self.form == "json_schema":
            schema = {"name": form.name, "strict": True, "schema": form.schema}
            arguments["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.form == "json_object":
            arguments["response_format"] = {"type": "json_object"}
        return arguments


_FIXED: Mapping[str, Dialect] = {
    "openai": Dialect("max_completion_tokens", fixed=True),
    "vllm": Dialect("max_tokens", fixed=True),
    "ollama": Dialect("max_tokens", fixed=True),
}
_OTHER: Mapping[str, TokensField] = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_WEAKER: Mapping[str, FormKind] = {"json_schema": "json_object", "json_object": ""}
_TOO_MUCH = re.compile(r"too (?:large|long|many|high)|at most|maximum|exceed|less than|greater than", re.IGNORECASE)


def dialect_of(named: Named, base_url: str) -> Dialect:
    """The one to begin with. OpenAI itself is known by its address; others are tried with the older name."""
    if named != "auto":
        return _FIXED[named]
    host = urlsplit(base_url).hostname or ""
    return Dialect("max_completion_tokens" if host == "openai.com" or host.endswith(".openai.com") else "max_tokens")


class Learned:
    """The dialect of one endpoint and model, for as long as the process lives. For several threads."""

    def __init__(self, first: Dialect) -> None:
        self._now = first
        self._refused: set[str] = set()
        self._turn = threading.Lock()

    @property
    def now(self) -> Dialect:
        return self._now

    def thinks(self) -> None:
        with self._turn:
            self._now = replace(self._now, thinks=True)

    def refused(self, sent: Dialect, error: "Complaint") -> bool:
        """Whether there is something to try instead of what was `sent`; `error` is a refusal with status 400 or 422."""
        with self._turn:
            if self._now != sent:       # another thread learned meanwhile
                return True
            learned = self._without(error)
            if learned is None:
                return False
            self._now = learned
            return True

    def _without(self, error: "Complaint") -> Dialect | None:
        now = self._now
        if now.temperature and error.names("temperature"):
            return replace(now, temperature=False)
        if now.system and error.names("system role", "system message", "role 'system'"):
            return replace(now, system=False)
        if now.fixed:
            return None
        if now.form and error.names("response_format", "json_schema", "json_object"):
            return replace(now, form=_WEAKER[now.form])
        if now.tokens_field and error.names_first(now.tokens_field) and not _TOO_MUCH.search(error.message):
            self._refused.add(now.tokens_field)
            other = _OTHER[now.tokens_field]
            return replace(now, tokens_field="" if other in self._refused else other)
        return None


class Complaint(NamedTuple):
    """What an endpoint says of a request that it refuses."""

    message: str
    parameter: str = ""

    def names(self, *fields: str) -> bool:
        return any(self._at(field) >= 0 for field in fields) or self.parameter in fields

    def names_first(self, field: str) -> bool:
        """A refusal of one name for the length often tells of the other one, too."""
        if self.parameter:
            return self.parameter == field
        at, other = self._at(field), self._at(_OTHER[field])
        return at >= 0 and not 0 <= other < at

    def _at(self, field: str) -> int:
        """Where it stands as a word of its own; -1 where it does not."""
        text, name = self.message.casefold(), field.casefold()
        at = text.find(name)
        while at >= 0 and (_in_word(text[at - 1 : at]) or _in_word(text[at + len(name) : at + len(name) + 1])):
            at = text.find(name, at + 1)
        return at


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def complaint(body: object) -> Complaint:
    """Of the body of a refusal: OpenAI's, in which it stands under `error`, or one without."""
    told = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(told, Mapping):
        return Complaint(told if isinstance(told, str) else "")
    message, parameter = told.get("message", told.get("detail", "")), told.get("param")
    return Complaint(str(message or ""), parameter if isinstance(parameter, str) else "")


def _merged(messages: Sequence[Message]) -> list[Message]:
    """What the role `system` would say, at the beginning of the first message."""
    told = [one["content"] for one in messages if one["role"] == "system"]
    rest = [one for one in messages if one["role"] != "system"]
    first = {**rest[0], "content": "\n\n".join([*told, rest[0]["content"]])}
    return [first, *rest[1:]]
