"""Checks of `vouch doctor` on the models and recipes that serve."""

from vouch.plurals import count

_NEWEST = 1000                          # answers, of which it is told how many people asked


def recipe_check() -> str:
    from cli.wiring.asking import try_recipe

    return try_recipe()


def encoder_check() -> str:
    from cli.wiring.asking import try_encoder

    return try_encoder()


def fusion_check() -> str:
    from cli.wiring.training.models import try_fusion

    return try_fusion()


def reranker_check() -> str:
    from cli.wiring.training.models import try_reranker

    return try_reranker()


def judge_check() -> str:
    from cli.wiring.training.models import try_judge

    return try_judge()


def evaluator_check() -> str:
    from cli.wiring.training.models import try_evaluator

    return try_evaluator()


def agent_check() -> str:
    from cli.wiring.training.models import try_agent

    return try_agent()


def guard_check() -> tuple[str, tuple[str, ...]]:
    """Sound: the former model serves. Somebody should look at why."""
    from cli.wiring.administration import open_administration
    from vouch.adapters.ledger.registry.going_back import put_back, unguarded

    ledger = open_administration().ledger
    told = put_back(ledger.models)
    blind = unguarded(ledger.models, ledger.answer_figures.askers(_NEWEST), _NEWEST)
    return count(len(told), "model") + " put back by the guard", (*told, *blind)


def language_model_check() -> str:
    from cli.wiring.status import try_model

    return try_model()
