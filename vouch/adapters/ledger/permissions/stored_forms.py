"""Permissions as the ledger keeps them: the directory, proven groups, rules and owners as JSON."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from vouch.access import Directory, OwnerBook, OwnerRule, Person, Proven, Rule, RuleBook


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


def book_json(book: RuleBook) -> dict[str, Any]:
    rules = [{"match": rule.match, "allow": sorted(rule.allow)} for rule in book.rules]
    return {"rules": rules, "broken": book.broken}


def book_of(body: dict[str, Any]) -> RuleBook:
    return RuleBook(tuple(Rule(r["match"], frozenset(r["allow"])) for r in body["rules"]), body["broken"])


def owners_json(found: OwnerBook) -> dict[str, Any] | None:
    if not found.rules and not found.broken:
        return None
    rules = [{"match": rule.match, "owners": sorted(rule.owners)} for rule in found.rules]
    return {"rules": rules, "broken": found.broken}


def owners_of(body: dict[str, Any] | None) -> OwnerBook:
    if body is None:
        return OwnerBook()
    return OwnerBook(tuple(OwnerRule(r["match"], frozenset(r["owners"])) for r in body["rules"]), body["broken"])
