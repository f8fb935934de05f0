"""What people do not find, and whose questions may be shown as examples of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flows.monitoring.gap_report import withdraw_examples
from flows.monitoring.gap_run import GapComponents, gap_rows
from flows.shared.reporting import Progress, silent
from vouch.access import Permissions, parse_tag
from vouch.access_check.directory import expired, unknown
from vouch.adapters.ledger import Ledger
from vouch.errors import Busy, NotFound, Usage
from vouch.learning.gaps.gap_titles import normalised


@dataclass(frozen=True)
class GapService:
    components: GapComponents
    clock: Callable[[], datetime]

    def permissions(self) -> Permissions:
        return self.components.permissions.permissions()

    def report(
        self, tags: Sequence[str], *, weeks: int | None = None, owner: str | None = None, progress: Progress = silent
    ) -> dict[str, Any]:
        """The object of `vouch gaps --json`. Documents are those that all readers named by `tags` may read.

        With an `owner`, gaps near that owner's documents, as that owner may read them.
        """
        return gap_rows(self.components, tags, self.clock(), weeks=weeks, owner=owner, progress=progress)


_FIRST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class ExampleService:
    home: Path
    ledger: Ledger
    permissions: Callable[[], Permissions]
    clock: Callable[[], datetime]

    def status(self, person: str) -> dict[str, Any]:
        tag = _person(person)
        choice = self.ledger.examples.of(tag)
        return {
            "person": tag,
            "allowed": choice.allowed_since is not None,
            "allowed_since": choice.allowed_since.isoformat() if choice.allowed_since else None,
            "denied_at": choice.denied_at.isoformat() if choice.denied_at else None,
        }

    def allow(self, person: str) -> dict[str, Any]:
        """The person's questions from now on may be shown. Raises NotFound for somebody whom nobody knows, Usage."""
        tag = check_known(person, self.permissions())
        self.ledger.examples.allow(tag, self.clock())
        return self.status(tag)

    def deny(self, person: str) -> dict[str, Any]:
        """None of the person's questions until now is shown, nor in a report that is written already.

        Raises Busy if reports cannot be looked at now; the next ones show none all the same.
        """
        tag, now = _person(person), self.clock()
        self.ledger.examples.deny(tag, now)
        asked = {normalised(row.question) for row in self.ledger.past_answers.answers(_FIRST, now) if row.asker == tag}
        try:
            changed = withdraw_examples(self.home, asked)
        except Busy as error:
            raise Busy(f"no new report will show a question, but those already written may still: {error.cause}",
                       cure="run it again in a moment") from error
        return {**self.status(tag), "reports_changed": changed}


def check_known(person: str, permissions: Permissions) -> str:
    """The tag of a person in the directory. Raises Usage for a tag of no person, NotFound for an unknown person."""
    tag = _person(person)
    told, gone = unknown(permissions.directory, tag), expired(permissions.directory, tag)
    if told or gone:
        raise NotFound(told or f"{tag} {gone}", cure="name a person of the directory: --as user:NAME")
    return tag


def _person(person: str) -> str:
    tag = parse_tag(person)
    if not tag.startswith("user:"):
        raise Usage(f"{tag} is not one person, who alone can allow it", cure="name a person: --as user:NAME")
    return tag
