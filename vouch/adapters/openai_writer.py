"""Writes answers with any endpoint that speaks OpenAI's chat completions."""

from collections.abc import Callable, Sequence
from typing import Any

from vouch.answering.prompts import REPLY_SCHEMA, messages, within_budget
from vouch.answering.reply import draft_sentences, read_reply
from vouch.errors import ModelDown
from vouch.ports.writer import Draft, Evidence


class OpenAIWriter:
    """A writer whose every failure is ModelDown: unreachable, refused, too slow, or a reply that cannot be used.

    The client retries timeouts, lost connections, 429 and 5xx with
    exponential backoff and heeds Retry-After. An endpoint that refuses
    `response_format` is asked again without it.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str,
        *,
        count_tokens: Callable[[str], int],
        timeout_s: float = 30.0,
        retries: int = 2,
        max_prompt_tokens: int = 3000,
        max_answer_tokens: int = 400,
    ) -> None:
        self._base_url = base_url
        self._model = model
        self._api_key = api_key
        self._count_tokens = count_tokens
        self._timeout_s = timeout_s
        self._retries = retries
        self._max_prompt_tokens = max_prompt_tokens
        self._max_answer_tokens = max_answer_tokens
        self._client: Any = None
        self._structured = True

    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        """Sentences whose quotes were found in `evidence`. Raises ModelDown as the class says."""
        if not evidence:
            return Draft((), self._model, reason="no evidence was given")
        given = within_budget(question, evidence, self._max_prompt_tokens, self._count_tokens)
        completion = self._complete(messages(question, given))
        content = completion.choices[0].message.content if completion.choices else None
        reply = read_reply(content or "")
        if reply is None:
            raise self._down("unusable reply: not the JSON that was asked for")
        sentences, warnings = draft_sentences(reply, given)
        if reply.sentences and not sentences:
            raise self._down("unusable reply: no quote of it is in the evidence")
        usage = completion.usage
        return Draft(
            sentences,
            self._model,
            prompt_tokens=usage.prompt_tokens if usage else 0,
            completion_tokens=usage.completion_tokens if usage else 0,
            warnings=warnings,
            reason="" if sentences else reply.reason or "the model found no answer in the passages",
        )

    def _complete(self, prompt: list[dict[str, str]]) -> Any:
        import openai  # 2.6 s to import

        if self._client is None:
            self._client = openai.OpenAI(
                base_url=self._base_url, api_key=self._api_key or "none",
                timeout=self._timeout_s, max_retries=self._retries,
                # What is sent holds passages: no other host than the one that was set gets them.
                http_client=openai.DefaultHttpxClient(follow_redirects=False),
            )
        try:
            try:
                return self._create(prompt, structured=self._structured)
            except (openai.BadRequestError, openai.UnprocessableEntityError):
                if not self._structured:
                    raise
                completion = self._create(prompt, structured=False)
                self._structured = False
                return completion
        except openai.APITimeoutError as error:
            raise self._down(f"no reply within {self._timeout_s:g} s") from error
        except openai.APIConnectionError as error:
            raise self._down("the connection failed") from error
        except openai.APIStatusError as error:
            raise self._down(f"it refused with status {error.status_code}") from error
        except (openai.OpenAIError, ValueError, AttributeError, TypeError) as error:
            raise self._down(f"unusable reply: {type(error).__name__}") from error

    def _create(self, prompt: list[dict[str, str]], *, structured: bool) -> Any:
        form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": REPLY_SCHEMA}}
        return self._client.chat.completions.create(
            model=self._model,
            messages=prompt,
            temperature=0,
            max_tokens=self._max_answer_tokens,
            **({"response_format": form} if structured else {}),
        )

    def _down(self, what: str) -> ModelDown:
        return ModelDown(f"model {self._model}: {what}", cure="check VOUCH_WRITER__BASE_URL, __MODEL and __API_KEY")
