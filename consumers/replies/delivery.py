"""What a surface did with an answer, or did not: each way to fail leads to another next step."""

from consumers.resilience.retry_on_outage import OUTAGE
from vouch.errors import BadInput, Denied
from vouch.ports.surface import Delivery, Surface
from vouch.trace import span


class DeliveryError(Exception):
    """The cause says what happened."""


class ReceiverDown(DeliveryError):
    """The surface is down; after a post it may have arrived all the same."""


class PermanentlyRefused(DeliveryError):
    """The surface will never take it."""


class AnswerRejected(DeliveryError):
    """The surface did not take this answer, and said so."""


def has(surface: Surface, delivery: Delivery) -> bool:
    """Raises Away where it cannot be asked now."""
    try:
        with span("look"):
            return surface.has(delivery)
    except OUTAGE as error:
        raise ReceiverDown from error


def post(surface: Surface, delivery: Delivery) -> None:
    """Afterwards it is there.

    Raises ReceiverDown, PermanentlyRefused, AnswerRejected, or what the surface itself did not foresee.
    """
    try:
        with span("post"):
            surface.post(delivery)
    except OUTAGE as error:
        raise ReceiverDown from error
    except Denied as error:
        raise PermanentlyRefused from error
    except BadInput as error:
        raise AnswerRejected from error


def cause_of(error: Exception) -> Exception:
    """What lies behind a trouble; any other error is its own cause."""
    return error.__cause__ if isinstance(error, DeliveryError) and isinstance(error.__cause__, Exception) else error
