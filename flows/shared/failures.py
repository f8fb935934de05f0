"""Sources that were left as they were, and what a run that went on without them says in the end."""

from collections.abc import Mapping

from vouch.errors import VouchError


def failure_of(failures: Mapping[str, VouchError]) -> VouchError:
    """One error for all of them, of the kind of the first: it names each source with the cause and its cure."""
    causes = [f"source {name} was left as it was: {error.cause}" for name, error in failures.items()]
    errors = list(failures.values())
    if len(errors) == 1:
        return _like(errors[0], causes[0], errors[0].cure)
    told = [f"{cause} ({error.cure})" if error.cure else cause for cause, error in zip(causes, errors, strict=True)]
    return _like(errors[0], "; ".join(told), "then run again: vouch ingest " + " ".join(failures))


def _like(error: VouchError, cause: str, cure: str) -> VouchError:
    made = type(error)(cause, cure=cure)
    made.__cause__ = error
    return made
