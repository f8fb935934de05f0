"""What endpoints that speak chat completions refuse, each in its own words, as strictly as the originals."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

KEY = "sk-test"
MODELS = ("big-one", "small-one")
_COMMON = {"model", "messages", "temperature", "response_format"}


class Wrong(NamedTuple):
    """Status and body of a refusal."""

    status: int
    body: dict[str, Any]


Check = Callable[[dict[str, Any]], Wrong | None]


def openai_error(message: str, param: str | None = None, code: str | None = None, status: int = 400) -> Wrong:
    kind = "invalid_request_error"
    return Wrong(status, {"error": {"message": message, "type": kind, "param": param, "code": code}})


def vllm_error(message: str, status: int = 400) -> Wrong:
    told = {"message": message, "type": "BadRequestError", "param": None, "code": status}
    return Wrong(status, {"object": "error", **told})


def everywhere(headers: Any, body: Any) -> Wrong | None:
    """What each of them refuses."""
    if headers.get("Authorization") != f"Bearer {KEY}":
        return openai_error("Incorrect API key provided", code="invalid_api_key", status=401)
    if headers.get("Content-Type") != "application/json" or not isinstance(body, dict):
        return openai_error("We could not parse the JSON body of your request.")
    if body.get("model") not in MODELS:
        return openai_error("The model does not exist", "model", "model_not_found", 404)
    messages = body.get("messages")
    if not messages or any(set(m) != {"role", "content"} or not isinstance(m["content"], str) for m in messages):
        return openai_error("Invalid messages", "messages")
    roles = [m["role"] for m in messages if m["role"] != "system"]
    if any(m["role"] == "system" for m in messages[1:]) or roles != (["user", "assistant"] * len(roles))[: len(roles)]:
        return openai_error("Conversation roles must alternate user/assistant/user/assistant/...", "messages")
    if not 0 <= body.get("temperature", 1) <= 2:
        return openai_error("Invalid temperature", "temperature")
    for field in ("max_tokens", "max_completion_tokens"):
        if field in body and not (isinstance(body[field], int) and body[field] > 0):
            return openai_error(f"Invalid '{field}'", field)
    return None


def openai_chat(body: dict[str, Any]) -> Wrong | None:
    """A model such as gpt-4o."""
    if unknown := body.keys() - _COMMON - {"max_tokens", "max_completion_tokens"}:
        return openai_error(f"Unrecognized request argument supplied: {min(unknown)}")
    if {"max_tokens", "max_completion_tokens"} <= body.keys():
        return openai_error("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
    return _strict_format(body)


def openai_reasoning(body: dict[str, Any]) -> Wrong | None:
    """A model that thinks before it writes."""
    if "max_tokens" in body:
        return openai_error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            "max_tokens", "unsupported_parameter")
    if body.get("temperature", 1) != 1:
        return openai_error(
            f"Unsupported value: 'temperature' does not support {body['temperature']} with this model. "
            "Only the default (1) value is supported.", "temperature", "unsupported_value")
    return openai_chat(body)


def openai_old(body: dict[str, Any]) -> Wrong | None:
    """A model from before structured outputs."""
    form = body.get("response_format", {}).get("type")
    if form == "json_schema":
        return openai_error(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. "
            "Learn more about supported models.", "response_format")
    if form == "json_object" and not any("json" in m["content"].lower() for m in body["messages"]):
        return openai_error("'messages' must contain the word 'json' in some form.", "messages")
    return openai_chat({name: value for name, value in body.items() if name != "response_format"})


def vllm(body: dict[str, Any]) -> Wrong | None:
    """A server of before max_completion_tokens, which refuses what it does not know."""
    for field in body.keys() - _COMMON - {"max_tokens"}:
        return vllm_error(
            f"[{{'type': 'extra_forbidden', 'loc': ('body', '{field}'), 'msg': 'Extra inputs are not permitted', "
            f"'input': {body[field]!r}}}]")
    if body.get("max_tokens", 16) > 8000:
        return vllm_error(
            f"This model's maximum context length is 8192 tokens. However, you requested {body['max_tokens']} "
            "max_tokens. Please reduce the length of the messages or completion.")
    return None


def vllm_gemma(body: dict[str, Any]) -> Wrong | None:
    """A model whose template has no system role."""
    if any(m["role"] == "system" for m in body["messages"]):
        return vllm_error("System role not supported")
    return vllm(body)


def ollama(body: dict[str, Any]) -> Wrong | None:
    """It overlooks what it does not know."""
    if body.get("response_format", {}).get("type") not in (None, "json_object", "json_schema", "text"):
        return openai_error("invalid response_format")
    return None


def without_formats(body: dict[str, Any]) -> Wrong | None:
    if "response_format" in body:
        return openai_error("response_format is not supported")
    return openai_chat(body)


def _strict_format(body: Mapping[str, Any]) -> Wrong | None:
    wrong = wrong_format(body["response_format"]) if "response_format" in body else ""
    return openai_error(f"Invalid schema for response_format: {wrong}", "response_format") if wrong else None


def wrong_format(form: Mapping[str, Any]) -> str:
    """Strict schemas need every property required and no others, at every level."""
    if form == {"type": "json_object"}:
        return ""
    if form.keys() != {"type", "json_schema"} or form["type"] != "json_schema":
        return "type"
    if form["json_schema"].keys() != {"name", "strict", "schema"} or form["json_schema"]["strict"] is not True:
        return "json_schema"
    queue = [form["json_schema"]["schema"]]
    while queue:
        schema = queue.pop()
        if schema["type"] == "object":
            if schema.get("additionalProperties") is not False or set(schema["required"]) != set(schema["properties"]):
                return "additionalProperties or required"
            queue += schema["properties"].values()
        elif schema["type"] == "array":
            queue.append(schema["items"])
    return ""
