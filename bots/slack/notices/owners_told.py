"""The daily digest, and models that were put back."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from bots.slack.answers.layout import LARGEST_TEXT
from bots.slack.answers.source_list import Block
from bots.slack.escaping import markdown, plain
from bots.slack.notices.posting import Post
from bots.slack.notices.sending import NoticeSender
from vouch.adapters.ledger import Notice


@dataclass(frozen=True)
class OwnerNotices:
    """`readable` tells which of these documents, SOURCE:PATH, this access tag may read now."""

    sender: NoticeSender
    readable: Callable[[str, Collection[str]], Collection[str]]

    def kinds(self) -> Mapping[str, Post]:
        return {"digest": self._digest, "rollback": self._rollback}

    def _digest(self, notice: Notice) -> bool:
        """Without the lines about documents that its owner may not read any more."""
        owner, lines = str(notice.body["owner"]), notice.body.get("lines")
        if lines is None:                   # of an earlier release, which does not say what each line names
            return False
        named = sorted({one["document"] for one in lines if one["document"]})
        kept = {"", *self.readable(owner, named)} if named else {""}
        words = "\n".join(one["text"] for one in lines if one["document"] in kept)
        return self._tell(notice, owner, words, "Your daily digest")

    def _rollback(self, notice: Notice) -> bool:
        words = f"vouch: a model was put back\n{notice.body['text']}"
        return self._tell(notice, str(notice.body["owner"]), words, "A model was put back")

    def _tell(self, notice: Notice, owner: str, words: str, title: str) -> bool:
        blocks: list[Block] = [{"type": "markdown", "text": markdown(words, LARGEST_TEXT)[0] or "-"}]
        return self.sender.to_people(notice, self.sender.accounts.of([owner]), blocks, plain(title))
