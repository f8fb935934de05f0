"""A language model behind a real socket, which keeps what it is sent, byte by byte."""

from model_fakes.chat_server import ChatServer, replies
from model_fakes.language_model import model, models, writer

from vouch.adapters.language_model.writer import LanguageModelWriter


class Chat(ChatServer):
    """Finds no answer in whatever it is given."""

    def __init__(self) -> None:
        super().__init__([replies(reason="the passages do not say")])

    def writer(self) -> LanguageModelWriter:
        return writer(models(model(self.url, reply_s=20.0)))

    def taken(self) -> list[tuple[str, bytes]]:
        """Headers and bodies of the requests since it was called last."""
        found, self.raw = self.raw, []
        return found
