"""A language model behind a real socket, which keeps what it is sent, byte by byte."""

from chat_server import KEY, ChatServer, replies

from vouch.adapters.openai_writer import OpenAIWriter


class Chat(ChatServer):
    """Finds no answer in whatever it is given."""

    def __init__(self) -> None:
        super().__init__([replies(reason="the passages do not say")])

    def writer(self) -> OpenAIWriter:
        return OpenAIWriter(self.url, "big-one", KEY, count_tokens=lambda text: len(text.split()), timeout_s=20.0,
                            retries=0)

    def taken(self) -> list[tuple[str, bytes]]:
        """Headers and bodies of the requests since it was called last."""
        found, self.raw = self.raw, []
        return found
