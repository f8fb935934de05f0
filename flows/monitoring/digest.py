"""What the owners are told every day: what was asked in vain, outdated or old, the votes, models put back."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from flows.monitoring.gap_run import GapComponents, gap_rows, tells
from flows.runs.run import sole_run
from flows.shared.home_files.weekly_reports import DIGEST, write_files
from flows.shared.noted_runs import noted
from flows.shared.reporting import Progress, silent
from vouch.access import PUBLIC, Directory
from vouch.adapters.ledger.registry.going_back import put_back_within
from vouch.adapters.ledger.usage.past_answers import Place
from vouch.errors import Busy
from vouch.learning.statistics.report import escaped
from vouch.moments import age
from vouch.plurals import count
from vouch.ports.index import View

OwnerLists = Callable[[Directory, datetime], list[str]]
_DAY, _WEEKS, _TRIES = timedelta(days=1), 1, 3
_MOST_GAPS, _MOST_DOCUMENTS = 10, 20


@dataclass(frozen=True, slots=True)
class Told:
    """`owners`: for how many a message waits that was not there before."""

    files: tuple[Path, ...]
    row: Mapping[str, Any]
    owners: int

    def numbers(self) -> dict[str, int]:
        """For places where others may read: not a word of a question, and no name."""
        return {"owners": self.owners, "gaps": len(self.row["gaps"]), "outdated": len(self.row["outdated"]),
                "old": len(self.row["old"]), "answers": self.row["votes"]["answers"], "up": self.row["votes"]["up"],
                "down": self.row["votes"]["down"]}


def tell_owners(
    components: GapComponents, owners: OwnerLists, now: datetime, *, progress: Progress = silent
) -> Told:
    """The digest of this day is in the home, and a message for each owner waits to be posted, once a day.

    A document is named to an owner as far as that person may read it; in the file, if each of them may. If documents
    were purged meanwhile it is made anew. Raises Busy beside a purge, or if one comes after the other.
    """
    with noted(components.ledger, "digest"):
        return _tell(components, owners, now, progress)


def _tell(components: GapComponents, owners: OwnerLists, now: datetime, progress: Progress) -> Told:
    for _ in range(_TRIES):
        with sole_run(components.home, []):     # no purge is half done at the moment from which on they are counted
            began = components.ledger.answers.erasures()
        people = owners(components.permissions.permissions().directory, now)
        gaps = gap_rows(components, people, now, weeks=_WEEKS, progress=progress)
        common = digest_row(components, gaps, people, now)
        each = {person: digest_row(components, gaps, [person], now) for person in people}
        with sole_run(components.home, []):
            if components.ledger.answers.erasures() == began:
                return Told(_files(components.home, common, now), common, _wait(components, each, now))
    raise Busy("documents are being purged all the time", cure="run it again later")


def digest_row(
    components: GapComponents, gaps: Mapping[str, Any], readers: Sequence[str], now: datetime
) -> dict[str, Any]:
    """With the documents that all `readers` may read, or the public without any."""
    since = now - _DAY
    # Whoever takes an allowance back is heard by the weekly report alone: here there are no such examples.
    told = [one for gap in gaps["gaps"] if tells(one := {**gap, "allowed_examples": []})]
    tally = components.ledger.past_answers.tally(since, now)
    audience = components.permissions.permissions().directory.audience(list(readers) or [PUBLIC], now)
    outdated = components.ledger.complaints.outdated(since, now)
    cited = components.ledger.past_answers.cited(since, now) if components.old_days else Counter()
    view = components.index.view(audience) if outdated or cited else None
    return {
        "until": now.isoformat(),
        "put_back": list(put_back_within(components.ledger.models, since, now)),
        "fewest_askers": gaps["fewest_askers"],
        "gaps": told[:_MOST_GAPS],
        "outdated": [
            {"document": f"{source}:{path}", "answers": number}
            for (source, path), number in outdated.most_common()
            if view is not None and view.of_document(source, path)
        ][:_MOST_DOCUMENTS],
        "old": _old(view, cited, now - components.old_days * _DAY) if view is not None else [],
        "votes": {"answers": tally.answers, "declined": tally.declined, "up": tally.up, "down": tally.down,
                  "reasons": components.ledger.complaints.reasons(since, now)},
    }  # fmt: skip


def _old(view: View, cited: Counter[Place], before: datetime) -> list[dict[str, Any]]:
    """Cited documents that changed last before that, by what their source tells now; those cited most often first."""
    found: list[dict[str, Any]] = []
    for (source, path), number in cited.most_common():
        changed = _changed(view, source, path)
        if changed is not None and changed < before:
            found.append({"document": f"{source}:{path}", "answers": number, "changed_at": changed.isoformat()})
        if len(found) == _MOST_DOCUMENTS:
            break
    return found


def _changed(view: View, source: str, path: str) -> datetime | None:
    """None where nobody tells, and for what may not be read."""
    chunks = view.of_document(source, path)
    at = view.passages(chunks[:1])[0].changed_at if chunks else None
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)


class Line(NamedTuple):
    """`document`: the one that it is about, SOURCE:PATH, or "" if it names none."""

    text: str
    document: str = ""


def lines(row: Mapping[str, Any]) -> list[Line]:
    """As people read it, without any marks."""
    votes = row["votes"]
    until = datetime.fromisoformat(row["until"])
    body = [Line(f"vouch until {row['until'][:10]}"),
            Line(f"Last day: {count(votes['answers'], 'question')}, {votes['declined']} not answered; "
                 f"votes: {votes['up']} up, {votes['down']} down"
                 + "".join(f", {name} {n}" for name, n in sorted(votes["reasons"].items())))]
    if row["put_back"]:
        body.append(Line("A model was worse than the one before it, and was replaced by that on the last day:"))
        body += [Line(f"• {item}") for item in row["put_back"]]
    body.append(Line(f"Asked in vain by {row['fewest_askers']} people or more in the last week:"))
    body += [Line(f"• {', '.join(gap['title']) or 'no common word'}: {count(gap['questions'], 'question')}, "
                  f"{count(gap['askers'], 'person', 'people')}") for gap in row["gaps"]] or [_NOTHING]
    body.append(Line("Cited in answers that people called outdated on the last day:"))
    body += [Line(f"• {item['document']}: {count(item['answers'], 'answer')}", item["document"])
             for item in row["outdated"]] or [_NOTHING]
    body.append(Line("Cited on the last day, and not changed for long:"))
    body += [Line(f"• {item['document']}: {age(item['changed_at'], until)}, {count(item['answers'], 'answer')}",
                  item["document"]) for item in row["old"]] or [_NOTHING]
    return body


_NOTHING = Line("• nothing")


def _files(home: Path, row: Mapping[str, Any], now: datetime) -> tuple[Path, ...]:
    texts = {
        "json": json.dumps(row, ensure_ascii=False, indent=1) + "\n",
        "md": "\n\n".join(escaped(line.text) for line in lines(row)) + "\n",
    }
    return tuple(write_files(home, now.date(), texts, DIGEST))


def _wait(components: GapComponents, each: Mapping[str, Mapping[str, Any]], now: datetime) -> int:
    """A message that nobody has posted for a day is out of date.

    Each line says which document it is about, so that whoever posts it can leave out what may not be read by then.
    """
    notices, day = components.ledger.notices, now.date().isoformat()
    notices.forget("digest", now - _DAY + timedelta(hours=1))
    return sum(notices.add(f"digest.{day}.{person}"[:300], "digest", {
        "owner": person, "lines": [line._asdict() for line in lines(row)],
    }, now) for person, row in each.items())
