"""A source that vouch keeps itself: what people answered and owners approved, as documents with rules of their own.

The ledger is what counts; folder and access file are made from it. A document
that expired or was withdrawn is forbidden at once, and gone with the next ingest.
"""

import fcntl
import json
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from vouch.adapters.ledger import Draft, Ledger, SourceRow
from vouch.adapters.ledger.handoffs import APPROVED
from vouch.errors import Guarded, Unavailable, Usage

NAME = "human-answers"
_LARGEST, _MOST_MARKS, _MOST_RULES = 200_000, 18_000, 900      # of an access file, below what is read of one


@dataclass(frozen=True)
class HumanAnswers:
    """Threads and processes may share the folder."""

    home: Path
    ledger: Ledger

    @property
    def folder(self) -> Path:
        return self.home / NAME / "documents"

    @property
    def rules(self) -> Path:
        return self.home / NAME / "access.yaml"

    def settle(self, now: datetime) -> bool:
        """Folder and rules are what the ledger says at this moment; whether a document came or went.

        Raises Usage if another source has the name, Unavailable.
        """
        self.ledger.drafts.expire(now)
        if not self.folder.is_dir() and not self.ledger.drafts.list((APPROVED,)):
            return False
        with _disk_errors(self.folder), self._alone():
            drafts = self.ledger.drafts.list()
            self._register()
            return self._write(drafts)

    def decide(self, id_: str, state: str, by: str, now: datetime) -> tuple[Draft, bool]:
        """An approved draft is a document of the source from now on; a refused one is none any more.

        Also whether a document came or went, which then has to be ingested.

        Raises NotFound, Guarded, Usage if it was decided otherwise or has expired, or if nothing can be read of it.
        """
        if state == APPROVED:
            draft = self.ledger.drafts.get(id_)
            if not draft.text.strip():
                raise Usage("this draft holds nothing that can be read", cure="refuse it, and answer again")
            self.refuse_too_many(draft)
        done = self.ledger.drafts.decide(id_, state, by, now)
        return done, self.settle(now)

    def refuse_too_many(self, draft: Draft) -> None:
        """Raises Guarded if the rules would be more than an access file may hold, were the draft approved."""
        text = access_file([*self.ledger.drafts.list((APPROVED,)), draft], [])
        if len(text) > _LARGEST or sum(map(text.count, "\n,[{")) > _MOST_MARKS or text.count("match:") > _MOST_RULES:
            raise Guarded("there are as many approved answers as can have rules of their own",
                          cure="refuse some, or write them into your documents")

    def _write(self, drafts: Sequence[Draft]) -> bool:
        live = {draft.path: draft for draft in drafts if draft.state == APPROVED}
        stored_paths = {str(path.relative_to(self.folder)) for path in self.folder.glob("*/*")}
        gone = [draft for draft in drafts if draft.state != APPROVED]
        _replace(self.rules, access_file(list(live.values()), gone))    # before a document comes, and before one goes
        for path in stored_paths - live.keys():
            (self.folder / path).unlink(missing_ok=True)
        for path in live.keys() - stored_paths:
            (self.folder / path).parent.mkdir(mode=0o700, exist_ok=True)
            _replace(self.folder / path, document(live[path]))
        for folder in self.folder.iterdir():
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        return stored_paths != live.keys()

    def _register(self) -> None:
        known = [row for row in self.ledger.sources.list() if row.name == NAME]
        if known and known[0].path != str(self.folder):
            raise Usage(f"the name {NAME} is taken by another source", cure=f"vouch source remove {NAME}")
        if not known:
            row = SourceRow(NAME, "folder", str(self.folder), str(self.rules), generation=uuid.uuid4().hex[:12])
            self.ledger.sources.add(row)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.folder / ".kept").touch()     # an empty folder would look like one that is not mounted
        with (self.home / NAME / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def access_file(live: Sequence[Draft], gone: Sequence[Draft]) -> str:
    """Each folder is for those who read along when its documents were written. What is gone nobody may read."""
    folders = {draft.path.partition("/")[0]: draft.access for draft in live}
    rules = [_rule(f"{folder}/*", tags) for folder, tags in sorted(folders.items())]
    rules += [_rule(path, ()) for path in sorted({d.path for d in gone}) if path.partition("/")[0] in folders]
    return "\n".join(["rules:", *rules]) + "\n" if rules else "rules: []\n"


def document(draft: Draft) -> str:
    """Markdown that narrows itself to its readers, whatever the rules say later."""
    tags = json.dumps(list(draft.access), ensure_ascii=False)
    title = " ".join(draft.question.split())
    return f"---\naccess: {tags}\n---\n# {title}\n\n{draft.text.strip()}\n"


def _rule(pattern: str, tags: Sequence[str]) -> str:
    return f'  - match: "{pattern}"\n    allow: {json.dumps(list(tags), ensure_ascii=False)}'


def _replace(path: Path, text: str) -> None:
    """A crash leaves what was there or all of it."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


@contextmanager
def _disk_errors(where: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(f"cannot write {where}: {error.strerror or error}", cure="check free space") from error
