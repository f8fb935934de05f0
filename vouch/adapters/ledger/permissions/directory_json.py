"""The directory as the ledger stores it: people and groups as loaded, and what was proven of people since."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from vouch.access import Directory, Person, Proven


def directory_json(found: Directory) -> dict[str, Any]:
    people = {
        name: {"groups": list(person.groups), "until": person.until.isoformat() if person.until else None}
        for name, person in sorted(found.people.items())
    }
    body: dict[str, Any] = {
        "people": people, "groups": {name: list(within) for name, within in sorted(found.groups.items())},
    }  # fmt: skip
    return {**body, "proven": proven_json(found.proven)} if found.proven else body


def directory_of(body: Mapping[str, Any]) -> Directory:
    people = {
        name: Person(tuple(p["groups"]), datetime.fromisoformat(p["until"]) if p["until"] else None)
        for name, p in body["people"].items()
    }
    return Directory(people, {name: tuple(within) for name, within in body["groups"].items()}, proven_of(body))


def proven_json(proven: Mapping[str, Proven]) -> dict[str, Any]:
    return {
        name: {"groups": list(one.groups), "at": one.at.isoformat(), "until": one.until.isoformat()}
        for name, one in sorted(proven.items())
    }


def proven_of(body: Mapping[str, Any]) -> dict[str, Proven]:
    return {
        name: Proven(tuple(one["groups"]), datetime.fromisoformat(one["at"]), datetime.fromisoformat(one["until"]))
        for name, one in body.get("proven", {}).items()
    }
