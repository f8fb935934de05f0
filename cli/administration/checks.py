"""The checks of `vouch doctor`, one after the other. Each says what it found and, if that is wrong, what to do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cli.administration import document_checks, installation_checks, model_checks
from vouch.errors import VouchError


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    sound: bool
    found: str
    cure: str = ""
    warnings: tuple[str, ...] = ()      # nothing is broken, and somebody should look at it


def run_checks(begins: Callable[[str], object] = len) -> Iterator[Check]:
    """Runs the checks in turn. A check that cannot run has failed, and the next ones still run, except after wrong
    settings.

    `begins` hears the name of each before it runs.
    """
    for name, look in _CHECKS.items():
        begins(name)
        try:
            result = look()
            yield Check(name, True, result) if isinstance(result, str) else Check(name, True, result[0], "", result[1])
        except VouchError as error:
            yield Check(name, False, error.cause, error.cure)
            if look is installation_checks.settings_check:
                return


_CHECKS: dict[str, Callable[[], str | tuple[str, tuple[str, ...]]]] = {
    "settings": installation_checks.settings_check,
    "home": installation_checks.home_check,
    "ledger": installation_checks.ledger_check,
    "access rules": document_checks.access_rules_check,
    "directory": document_checks.directory_check,
    "permissions": document_checks.oddities_check,
    "index": document_checks.current_version_check,
    "documents": document_checks.documents_check,
    "lexical": document_checks.lexical_engine_check,
    "vectors": document_checks.vectors_check,
    "prompt injections": document_checks.prompt_injections_check,
    "ingestion": document_checks.ingestion_check,
    "purges": document_checks.purges_check,
    "log": installation_checks.log_check,
    "outbox": installation_checks.outbox_check,
    "hard links": installation_checks.hard_links_check,
    "recipe": model_checks.recipe_check,
    "encoder": model_checks.encoder_check,
    "fusion": model_checks.fusion_check,
    "reranker": model_checks.reranker_check,
    "judge": model_checks.judge_check,
    "evaluator": model_checks.evaluator_check,
    "agent": model_checks.agent_check,
    "guard": model_checks.guard_check,
    "model": model_checks.language_model_check,
}
