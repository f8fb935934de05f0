"""One request to an endpoint and its reply, ended at its time and at its size."""

import email.utils
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from vouch.adapters.language_model.dialect import Complaint, complaint
from vouch.answering.prompting.replies import THOUGHT
from vouch.errors import ModelDown


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: Any = None       # vLLM and DeepSeek
    reasoning: Any = None               # Ollama and OpenRouter


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Details(BaseModel):
    reasoning_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    completion_tokens_details: _Details | None = None


class _Body(BaseModel):
    choices: list[_Choice]
    usage: _Usage | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """`problem` says why the text cannot be used; empty where nothing is known against it."""

    text: str
    problem: str = ""
    cut: bool = False                   # at the longest reply that was asked for
    thought: bool = False               # it wrote thoughts before its reply
    prompt_tokens: int = 0
    completion_tokens: int = 0


def read_completion(raw: bytes) -> Completion | None:
    """None for what is no completion."""
    try:
        body = _Body.model_validate_json(raw)
    except ValidationError:
        return None
    if not body.choices:
        return None
    choice, usage = body.choices[0], body.usage or _Usage()
    text = choice.message.content or ""
    cut = choice.finish_reason == "length"
    return Completion(
        text, _problem(choice, text), cut, _thought(choice.message, usage, text),
        max(0, usage.prompt_tokens), max(0, usage.completion_tokens),
    )


def _problem(choice: _Choice, text: str) -> str:
    if choice.finish_reason == "length":
        return "its reply was cut off at the longest that it may write"
    if choice.message.refusal:
        return "it refused to answer"
    if choice.finish_reason == "content_filter":
        return "a content filter stopped it"
    return "" if text.strip() else "unusable reply: it is empty"


def _thought(message: _Message, usage: _Usage, text: str) -> bool:
    details = usage.completion_tokens_details
    counted = bool(details and details.reasoning_tokens)
    return counted or bool(message.reasoning_content or message.reasoning) or bool(THOUGHT.search(text))


_MOST_BYTES = 4_000_000


class CallFailed(ModelDown):
    """`again`: the same may work in a moment. `down`: the endpoint fails, whatever it is asked. `late`: no reply."""

    def __init__(
        self, cause: str, *, cure: str, again: bool = False, down: bool = False, late: bool = False,
        retry_after_s: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(cause, cure=cure, retry_after_s=retry_after_s)
        self.again, self.down, self.late = again, down, late


class Refused(Exception):
    """The request is one that it does not take, for what it says in its complaint."""

    def __init__(self, told: Complaint, status: int) -> None:
        super().__init__(f"status {status}")
        self.told, self.status = told, status


class Endpoint:
    """For several threads. What it sends holds passages: no other host than the one that was set gets them."""

    def __init__(self, base_url: str, api_key: str, model: str, setting: str = "VOUCH_WRITER__") -> None:
        """`setting`: how the names of the settings begin that say where it is."""
        self.base_url, self.model = base_url, model
        self._api_key, self._setting = api_key, setting
        self._client: Any = None
        self._turn = threading.Lock()

    def apart(self) -> "Endpoint":
        """The same with connections of its own."""
        return Endpoint(self.base_url, self._api_key, self.model, self._setting)

    def ready(self) -> None:
        """Imports its client, which takes seconds that no reply waits for."""
        import openai

        with self._turn:
            if self._client is None:
                self._client = openai.OpenAI(
                    base_url=self.base_url, api_key=self._api_key or "none", max_retries=0,
                    http_client=openai.DefaultHttpxClient(follow_redirects=False),
                )

    def once(self, body: Mapping[str, Any], seconds: float) -> Completion:
        """One try. Raises CallFailed, and Refused for a request that it does not take."""
        import httpx2
        import openai

        self.ready()
        try:
            completion = read_completion(self._read(body, time.monotonic() + seconds, seconds))
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            raise Refused(complaint(error.body), error.status_code) from error
        except (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError) as error:
            raise self.failure(f"no reply within {seconds:.3g} s", again=True, late=True) from error
        except openai.APIStatusError as error:
            raise self._status(error.status_code, error.response.headers) from error
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            raise self.failure("the connection failed", again=True, down=True) from error
        except (openai.OpenAIError, ValueError, AttributeError, TypeError) as error:
            raise self.failure(f"unusable reply: {type(error).__name__}") from error
        if completion is None:
            raise self.failure("unusable reply: no completion")
        return completion

    def failure(self, what: str, **how: Any) -> CallFailed:
        names = f"check {self._setting}BASE_URL, {self._setting}MODEL and {self._setting}API_KEY"
        return CallFailed(f"model {self.model}: {what}", **({"cure": names} | how))

    def _read(self, body: Mapping[str, Any], until: float, seconds: float) -> bytes:
        """How many seconds are left it is not told: that depends on how long the search took."""
        import openai

        client = self._client.with_options(timeout=seconds)
        untold = {"x-stainless-read-timeout": openai.Omit()}
        raw = bytearray()
        with client.chat.completions.with_streaming_response.create(**body, extra_headers=untold) as response:
            for part in response.iter_bytes():
                raw += part
                if len(raw) > _MOST_BYTES:
                    raise ValueError("the reply is too large")
                if time.monotonic() > until:
                    raise TimeoutError
        return bytes(raw)

    def _status(self, status: int, headers: Mapping[str, str]) -> CallFailed:
        again = status in (408, 409, 429) or status >= 500
        return self.failure(f"it refused with status {status}", again=again, down=status >= 500,
                            retry_after_s=_retry_after(headers))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, or a date, or OpenAI's own milliseconds; None for none, or what is no time."""
    try:
        if "retry-after-ms" in headers:
            wait = float(headers["retry-after-ms"]) / 1000
        else:
            told = headers.get("retry-after", "")
            wait = float(told) if told.replace(".", "", 1).isdigit() else _until(told)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, wait) if wait < float("inf") else None


def _until(date: str) -> float:
    """Raises ValueError or TypeError for what is no date."""
    return email.utils.parsedate_to_datetime(date).timestamp() - time.time()
