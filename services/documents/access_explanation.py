"""Why somebody may or may not read a document."""

from datetime import UTC, datetime
from typing import Any

from services.documents.administration import Administration
from vouch.access import Label
from vouch.access_check.directory import asked_in_vain, is_known, last_day
from vouch.access_check.rules import label_of
from vouch.access_check.sources import UNREAD, owners_of
from vouch.rules import RuleBook


def explain(admin: Administration, person: str, document: str) -> dict[str, Any]:
    """Why `person` may or may not read `document` (SOURCE:PATH or PATH) at this moment."""
    header = admin.find(document)
    permissions = admin.bearing
    directory = permissions.directory
    reader = directory.reader(person, datetime.now(UTC))
    label = label_of(permissions, header)
    person_there = directory.people.get(reader.name.removeprefix("user:"))
    book = permissions.rulebooks.get(header.source, RuleBook())
    rule = book.deciding(header.path)
    return {
        "person": reader.name,
        "known": is_known(directory, reader.name),
        "warning": asked_in_vain(directory, reader.name) or None,
        "source": header.source,
        "path": header.path,
        "allowed": label.allows(reader.principals),
        "rule": book.broken or (rule.match if rule else None),
        "refused_by": refusals(label, header.source in permissions.scanned, reader.principals),
        "allow": sorted(label.allowed),
        "owners": list(owners := owners_of(permissions, header)),
        "owns": not reader.principals.isdisjoint(owners),
        "narrowed": None if label.narrowed is None else sorted(label.narrowed),
        "holds": sorted(reader.principals),
        "until": last_day(person_there.until) if person_there and person_there.until else None,
        "access_epoch": permissions.epoch,
    }


def refusals(label: Label, scanned: bool, principals: frozenset[str]) -> list[str]:
    """Which conditions of a label these principals do not meet, in words."""
    reasons = []
    if label.allowed.isdisjoint(principals):
        reasons.append("the current rules")
    if not scanned:
        reasons.append(UNREAD)
    elif any(tags.isdisjoint(principals) for tags in label.earlier):
        reasons.append("rules in force since the last whole ingest: what was granted since then waits for the next one")
    if label.narrowed is not None and label.narrowed.isdisjoint(principals):
        reasons.append("the document's own access:")
    if not all(any(limit.allows(principals) for limit in group) for group in label.limits):
        reasons.append("a later version, as this is an earlier state of the document: it had moved to where fewer may "
                       "read, was narrowed, quarantined or removed, or that cannot be told")
    return reasons
