"""The language model that writes answers, where the settings name one."""

from vouch.adapters.tcp_probe import reach
from vouch.extras import need
from vouch.settings import OpenAIWriter, Settings


def model_server(settings: Settings) -> str:
    """Its address, empty where answers are quoted. Raises Usage if what speaks to it is not installed."""
    if not isinstance(settings.writer, OpenAIWriter):
        return ""
    need("openai", "VOUCH_WRITER__KIND=openai")
    return settings.writer.base_url


def try_model(settings: Settings) -> str:
    """Whether it can be reached. Raises ModelDown, and Usage as above."""
    url = model_server(settings)
    return reach(url) if url else "none: answers are quoted"
