"""All settings together, and how they are read. Only the wiring modules do.

Sources, strongest first: arguments, the environment (`VOUCH_…`, nested with
`__`), the TOML file named by `VOUCH_CONFIG` or `HOME_FOLDER/vouch.toml`,
defaults.
"""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from vouch.errors import Usage
from vouch.invalid import problem
from vouch.settings.answering import AnsweringSettings, RetrievalSettings, StepsSettings, WebSettings, WorkerSettings
from vouch.settings.base import HOME
from vouch.settings.ingesting import AccessSettings, ChunkingSettings, IngestSettings, ParsingSettings
from vouch.settings.learning import (
    CalibrationSettings,
    GapSettings,
    GuardSettings,
    LabelSettings,
    ShadowSettings,
    SwapSettings,
    TrainingSettings,
)
from vouch.settings.models import (
    EncoderSettings,
    EvaluatorSettings,
    ExtractiveWriter,
    FusionSettings,
    OpenAIWriter,
    RerankerSettings,
)
from vouch.settings.stores import (
    ElasticLexical,
    ElasticVectors,
    EmbeddedLexical,
    EmbeddedLog,
    FaissVectors,
    HnswVectors,
    IndexSettings,
    KafkaLog,
    RetentionSettings,
    SqlLedger,
)
from vouch.settings.surfaces import (
    AskingSettings,
    CallbackSettings,
    HttpSettings,
    MonitorSettings,
    SlackSettings,
    TracingSettings,
)

_log = logging.getLogger(__name__)


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="VOUCH_", env_nested_delimiter="__", extra="forbid", frozen=True)

    home: Annotated[Path, Field(description="The one folder that holds all state.")] = Path(HOME)
    log_level: Annotated[Literal["debug", "info", "warning", "error"], Field(description="Least severe log line written to standard error.")] = "warning"
    log_format: Annotated[Literal["text", "json"], Field(description="Form of log lines: text for people, json with a trace id for programs.")] = "text"
    ledger: SqlLedger = SqlLedger()
    log: Annotated[EmbeddedLog | KafkaLog, Field(discriminator="kind")] = EmbeddedLog()
    lexical: Annotated[EmbeddedLexical | ElasticLexical, Field(discriminator="kind")] = EmbeddedLexical()
    vectors: Annotated[FaissVectors | HnswVectors | ElasticVectors, Field(discriminator="kind")] = FaissVectors()
    writer: Annotated[ExtractiveWriter | OpenAIWriter, Field(discriminator="kind")] = ExtractiveWriter()
    encoder: EncoderSettings = EncoderSettings()
    reranker: RerankerSettings = RerankerSettings()
    fusion: FusionSettings = FusionSettings()
    guard: GuardSettings = GuardSettings()
    calibration: CalibrationSettings = CalibrationSettings()
    labels: LabelSettings = LabelSettings()
    gaps: GapSettings = GapSettings()
    swaps: SwapSettings = SwapSettings()
    evaluator: EvaluatorSettings = EvaluatorSettings()
    training: TrainingSettings = TrainingSettings()
    shadow: ShadowSettings = ShadowSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    ingest: IngestSettings = IngestSettings()
    parsing: ParsingSettings = ParsingSettings()
    index: IndexSettings = IndexSettings()
    recipe: Annotated[str, Field(min_length=1, description="Recipe that questions are searched by: a name, or the path of a TOML file (recipes.md). Others than the default are not what the shipped evaluator was fitted to.")] = "default"
    retrieval: RetrievalSettings = RetrievalSettings()
    answering: AnsweringSettings = AnsweringSettings()
    steps: StepsSettings = StepsSettings()
    worker: WorkerSettings = WorkerSettings()
    web: WebSettings = WebSettings()
    asking: AskingSettings = AskingSettings()
    callback: CallbackSettings = CallbackSettings()
    slack: SlackSettings = SlackSettings()
    monitor: MonitorSettings = MonitorSettings()
    http: HttpSettings = HttpSettings()
    tracing: TracingSettings = TracingSettings()
    access: AccessSettings = AccessSettings()
    retention: RetentionSettings = RetentionSettings()

    @field_validator("home", mode="before")
    @classmethod
    def _empty_is_unset(cls, home: Any) -> Any:
        return HOME if isinstance(home, str) and not home.strip() else home

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=_toml_file())


def _home() -> Path:
    named = os.environ.get("VOUCH_HOME", "")
    return Path(named if named.strip() else HOME).expanduser()


def _toml_file() -> Path:
    return Path(os.environ.get("VOUCH_CONFIG") or _home() / "vouch.toml").expanduser()


def read_settings(changed: Mapping[str, Any] | None = None) -> Settings:
    """The settings in force, `home` absolute. Raises Usage naming each setting that is wrong.

    `changed`, by part, stands above all others. A relative home is another one in each folder: where that makes a new one it is said.
    """
    cure = "docs/settings.md lists names and values"
    if strange := _strange():
        raise Usage(f"settings: {', '.join(strange)}: no such setting", cure=cure)
    try:
        settings = Settings(**(changed or {}))
    except ValidationError as error:
        raise Usage(f"settings: {'; '.join(map(_wrong, error.errors()))}", cure=cure) from error
    except SettingsError as error:
        raise Usage(f"settings: {_not_json(error)}: must be JSON, such as [\"a\"] or {{\"a\": [\"b\"]}}", cure=cure) from error
    except PermissionError as error:
        cure = "let this account read it, or name another home with VOUCH_HOME"
        raise Usage(f"settings file {_toml_file()} cannot be read: {error.strerror}", cure=cure) from error
    except (OSError, ValueError) as error:
        raise Usage(f"settings file {_toml_file()}: {error}", cure="fix or remove it") from error
    home = settings.home.expanduser()
    if not home.is_absolute() and not home.exists():
        _log.warning("VOUCH_HOME=%s is a relative path; the home is now %s", home, home.absolute())
    return settings.model_copy(update={"home": home.absolute()})


def _strange() -> list[str]:
    """Names of the environment that look like a setting of a part that vouch does not have."""
    parts = {f"VOUCH_{name}".upper() for name in Settings.model_fields}
    nested = [name for name in os.environ if name.upper().startswith("VOUCH_") and "__" in name]
    return sorted(name for name in nested if name.upper().partition("__")[0] not in parts)


def _not_json(error: SettingsError) -> str:
    """Settings of the environment whose value is what could not be read, without that value."""
    doc = getattr(error.__cause__, "doc", None)
    names = sorted(name for name, value in os.environ.items() if name.upper().startswith("VOUCH_") and value == doc)
    return ", ".join(names) or "a list or table in the environment"


def _wrong(error: Mapping[str, Any]) -> str:
    """What pydantic finds wrong with a setting, by the name it has in the environment."""
    part, *names = map(str, error["loc"] or ("",))
    field = Settings.model_fields.get(part)
    kind = names.pop(0) if field is not None and field.discriminator and names else ""
    name = "__".join([f"VOUCH_{part}", *(["kind"] if error["type"].startswith("union_tag") else names)]).upper()
    if error["type"] == "union_tag_not_found":
        return f"{name}: not set, and other settings of that part have no effect without it"
    if error["type"] == "extra_forbidden":
        return f"{name}: no such setting" + (f" where VOUCH_{part.upper()}__KIND is {kind}" if kind else "")
    return f"{name}: {problem(error)}"
