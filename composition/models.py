"""The models of the settings, each loaded at most once in a process, whoever asks for it."""

import gc
import threading
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from composition.lazy import Lazy
from vouch.adapters.models.batching import ActiveRequests
from vouch.errors import ModelDown, Usage
from vouch.ports.models import MAXSIM, Encoder, Reranker
from vouch.settings import Settings

if TYPE_CHECKING:
    from vouch.adapters.models.encoder import FixedShapeEncoder
    from vouch.adapters.models.scorers.maxsim import MaxSimReranker
    from vouch.adapters.models.tokenizer import FastTokenizer
    from vouch.learning.models.evaluator_model import EvaluatorModel

T = TypeVar("T")
NO_JUDGE, LANGUAGE_MODEL = "none", "language-model"     # the setting's words for them


class Models(NamedTuple):
    encoder: Encoder
    reranker: Reranker
    closeness: "MaxSimReranker"
    count_tokens: Callable[[str], int]


def load_models(settings: Settings) -> Models:
    """All that answering needs and that takes long to load, in memory. Raises ModelDown."""
    encoder, closeness, count = _ranking(*_chosen(settings))()
    return Models(encoder, load_reranker(settings), closeness, count)


def load_reranker(settings: Settings) -> Reranker:
    """The one of the settings. Raises ModelDown."""
    folder = _cross_encoder_folder(settings)
    if folder is None:
        return _ranking(*_chosen(settings))()[1]
    return _cross_encoder(folder, settings.encoder.dtype, settings.encoder.device)()


def reranker_weights(settings: Settings) -> str:
    """Which reranker it is, told without loading it. Raises ModelDown for a folder that holds none."""
    folder = _cross_encoder_folder(settings)
    if folder is None:
        return MAXSIM
    from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights

    return cross_encoder_weights(folder)


def _cross_encoder_folder(settings: Settings) -> Path | None:
    """None: the encoder's token vectors serve."""
    return Path(settings.reranker.model).expanduser() if settings.reranker.model else None


def load_kept_cross_encoder(settings: Settings, folder: Path, weights: str) -> Reranker:
    """One of the registry, in memory until the process ends. Raises ModelDown, also for another one than `weights`."""
    from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights

    if cross_encoder_weights(folder) != weights:
        raise ModelDown(f"{folder} has changed since it was looked at", cure="vouch models list shows what serves")
    return _cross_encoder(folder, settings.encoder.dtype, settings.encoder.device)()


def load_evaluator(
    settings: Settings, reranked_with: str | None = None, judge: str | None = None
) -> "EvaluatorModel":
    """Raises BadInput for a file that is none, Usage for one that was trained with another encoder, reranker or judge.

    `reranked_with` and `judge`: those of the settings unless told.
    """
    from vouch.learning.models import evaluator_model as evaluators

    without_judge = settings.evaluator.judge == NO_JUDGE
    own = evaluators.UNJUDGED if without_judge else evaluators.SHIPPED
    file = Path(settings.evaluator.model).expanduser() if settings.evaluator.model else own
    evaluator = evaluators.load_evaluator(file)
    check_evaluator(settings, evaluator, file, reranked_with or reranker_weights(settings), judge)
    return evaluator


def check_evaluator(
    settings: Settings, model: "EvaluatorModel", file: Path | str, reranked_with: str, judge: str | None = None
) -> None:
    """Raises Usage if it was trained with another encoder, reranker or judge, ModelDown where there is none.

    `judge` None: that of the settings.
    """
    from vouch.learning.models.evaluator_model import check_weights

    if judge is None:
        judge = judge_weights(settings) if model.judged_with else ""
    check_weights(model, file, encoder_weights(settings), reranked_with, judge)


def load_unjudged(settings: Settings) -> "EvaluatorModel | None":
    """The one that comes with vouch and needs no judge; None with another encoder or reranker."""
    from vouch.learning.models import evaluator_model as evaluators

    found = evaluators.load_evaluator(evaluators.UNJUDGED)
    try:
        check_evaluator(settings, found, evaluators.UNJUDGED, reranker_weights(settings))
    except Usage:
        return None
    return found


def own_judge(settings: Settings) -> str:
    """What the settings name in place of a registered judge; empty where they leave the place to one."""
    named = settings.evaluator.judge
    return "" if named == LANGUAGE_MODEL else named


def judge_folder(settings: Settings) -> Path | None:
    """None: no judge is wanted."""
    from vouch.adapters.models.scorers.judge import SHIPPED

    named = settings.evaluator.judge
    if named == NO_JUDGE:
        return None
    return SHIPPED if named in ("", LANGUAGE_MODEL) else Path(named).expanduser()


def judge_weights(settings: Settings) -> str:
    """Which judge it is, told without loading it; empty for none. Raises ModelDown for a folder that holds none."""
    folder = judge_folder(settings)
    if folder is None:
        return ""
    from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights

    try:
        return cross_encoder_weights(folder)
    except ModelDown as error:
        cure = "set VOUCH_EVALUATOR__JUDGE to the folder of a judge, or to none"
        raise ModelDown(error.cause, cure=cure) from error


def load_judge(settings: Settings) -> Reranker | None:
    """The judge of the settings, in memory until the process ends; None for none. Raises ModelDown."""
    folder = judge_folder(settings)
    return _cross_encoder(folder, settings.encoder.dtype, settings.encoder.device)() if folder is not None else None


def encoder(settings: Settings) -> Callable[[], "FixedShapeEncoder"]:
    """Its first call loads the encoder; later ones in this process find it. Raises ModelDown."""
    return _encoder(*_chosen(settings))


def tokenizer(settings: Settings) -> Callable[[], "FastTokenizer"]:
    """The encoder's; loaded at the first call."""
    return _tokenizer(model_folder(settings))


def model_folder(settings: Settings) -> Path | None:
    """None: that of the model that comes along. Raises ModelDown for a known name that was not fetched."""
    from vouch.adapters.models.fetching.known import KNOWN, fetched_folder

    name = settings.encoder.model
    if name not in KNOWN:
        return Path(name).expanduser() if name else None
    folder = fetched_folder(settings.home.expanduser(), name)
    if not folder.is_dir():
        raise ModelDown(f"the encoder {name} was not fetched into {settings.home}", cure=f"vouch models fetch {name}")
    return folder


def encoder_fingerprint(settings: Settings) -> str:
    """Told without loading it."""
    from vouch.adapters.models.encoder import encoder_fingerprint as fingerprint

    return fingerprint(*_chosen(settings))


def encoder_weights(settings: Settings) -> str:
    """Which model the encoder is, told without loading it."""
    from vouch.adapters.models.encoder import encoder_weights as weights

    return weights(model_folder(settings))


@cache
def active_requests() -> ActiveRequests:
    """The questions that this process has in hand; the models wait a moment for each other's texts."""
    return ActiveRequests()


def _chosen(settings: Settings) -> tuple[Path | None, str, str]:
    return model_folder(settings), settings.encoder.dtype, settings.encoder.device


class _Kept(Generic[T]):
    """What `make` makes of settings, once for each, whichever thread asks first."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: dict[tuple[object, ...], Lazy[T]] = {}

    def __call__(self, *chosen: object) -> Lazy[T]:
        with self._lock:
            return self._made.setdefault(chosen, Lazy(partial(self._make, *chosen)))

    def forget(self) -> None:
        """For tests."""
        self._made.clear()


def _load_encoder(folder: Path | None, dtype: str, device: str) -> "FixedShapeEncoder":
    from vouch.adapters.models import encoder as encoders  # asked for each time, so that a test may replace it

    return encoders.load_encoder(folder, dtype, device, active_requests())


def _load_tokenizer(folder: Path | None) -> "FastTokenizer":
    from vouch.adapters.models.tokenizer import load_tokenizer

    return load_tokenizer(folder)


def _load_ranking(
    folder: Path | None, dtype: str, device: str
) -> "tuple[FixedShapeEncoder, MaxSimReranker, Callable[[str], int]]":
    from vouch.adapters.models.scorers.maxsim import MaxSimReranker

    loaded, count = _encoder(folder, dtype, device)(), _tokenizer(folder)().count
    # The libraries' objects stay for good. Gone through by the collector they hold up an answer now and then by .15 s.
    gc.collect()
    gc.freeze()
    return loaded, MaxSimReranker(loaded), count


def _load_cross_encoder(folder: Path, dtype: str, device: str) -> Reranker:
    from vouch.adapters.models.scorers.cross_encoder import load_cross_encoder

    return load_cross_encoder(folder, dtype, device, active_requests())


_encoder, _tokenizer, _ranking = _Kept(_load_encoder), _Kept(_load_tokenizer), _Kept(_load_ranking)
_cross_encoder = _Kept(_load_cross_encoder)
