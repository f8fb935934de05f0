"""What the registry of models holds, and how its rows are found and moved inside a transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, insert, select, true, update

from vouch.adapters.ledger.engine.schema import model_moves, model_pointers, models
from vouch.errors import Conflict, Damaged, NotFound, Usage

FUSION, RERANKER, JUDGE, EVALUATOR, AGENT = KINDS = ("fusion", "reranker", "judge", "evaluator", "agent")
CANDIDATE, REFUSED, RETIRED = "candidate", "refused", "retired"
LIST = "vouch models list shows them"
SHADOWS = "shadows"                     # in a report: what was seen each time the model shadowed, oldest first
DECIDED = "decided"                     # in a report: what the turns decided of the model that shadows
GUARD = "guard"                         # who made such a move
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
UNREADABLE = (ValueError, RecursionError)    # by the JSON in a row


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """`body` is the model itself, data to distrust; `report` is what was found out about it, in figures."""

    name: str                           # fusion-20261123-1a2b3c4d: kind, day, first digits of the fingerprint
    kind: str
    state: str                          # candidate, refused, retired
    body: dict[str, Any]
    report: dict[str, Any]
    reason: str | None                  # why it was refused or retired
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Head:
    """What a damaged row still tells."""

    name: str
    kind: str
    state: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class Pointer:
    """`moves` goes up with every change: what compare-and-swap compares."""

    kind: str
    model: str | None = None            # None: what comes with vouch
    shadow: str | None = None
    shadow_since: datetime | None = None
    moves: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    kind: str
    former: str | None
    model: str | None
    reason: str
    by: str
    at: datetime
    back: bool = False                  # to a model that served before it, by a rollback


def served_before(moves: Sequence[Move]) -> list[str]:
    """The models that rollbacks go through, the nearest last: whoever is gone back to has nothing after it.

    One that is promoted once more comes after the model it replaces, as any other.
    """
    chain: list[str | None] = [None]
    for move in moves:
        if move.back and move.model in chain:
            while chain[-1] != move.model:
                chain.pop()
        else:
            chain.append(move.model)
    return [name for name in chain[:-1] if name is not None]


def find_head(connection: Connection, name: str) -> Head:
    """Also of a row whose body cannot be read. Raises NotFound."""
    fields = (models.c[field] for field in Head.__slots__)
    row = connection.execute(select(*fields).where(models.c.name == name)).one_or_none()
    if row is None:
        raise NotFound(f"there is no model {name!r}", cure=LIST)
    return Head(**row._mapping)


def find_model(connection: Connection, name: str) -> RegisteredModel:
    """Raises NotFound, or Damaged for a row that cannot be read."""
    try:
        row = connection.execute(select(models).where(models.c.name == name)).one_or_none()
    except (*UNREADABLE, TypeError) as error:
        raise _damaged(name) from error
    if row is None:
        raise NotFound(f"there is no model {name!r}", cure=LIST)
    if not isinstance(row.body, Mapping) or not isinstance(row.report, Mapping):
        raise _damaged(name)
    return RegisteredModel(**row._mapping)


def _damaged(name: str) -> Damaged:
    return Damaged(f"model {name} cannot be read", cure=f"promote another one, then: vouch models retire {name}")


def find_models(connection: Connection, kind: str | None) -> Sequence[RegisteredModel]:
    """Oldest first. Of a row that cannot be read the body and the report are empty, and the reason says so; a moment
    that cannot be read is LONG_AGO."""
    query = select(*(models.c[field] for field in Head.__slots__))
    rows = connection.execute(query if kind is None else query.where(models.c.kind == kind)).all()
    return sorted((_found(connection, Head(**row._mapping)) for row in rows), key=lambda one: (one.made_at, one.name))


def _found(connection: Connection, head: Head) -> RegisteredModel:
    try:
        return find_model(connection, head.name)
    except Damaged as error:
        made_at = _moment(connection, select(models.c.made_at).where(models.c.name == head.name)) or LONG_AGO
        return RegisteredModel(head.name, head.kind, head.state, {}, {}, error.cause, made_at)


def find_pointer(connection: Connection, kind: str) -> Pointer:
    """A shadow whose beginning cannot be read is none. Raises Damaged for a row that cannot be read otherwise."""
    query = select(*(model_pointers.c[name] for name in ("kind", "model", "shadow", "moves")))
    row = connection.execute(query.where(model_pointers.c.kind == kind)).one_or_none()
    if row is None:
        return Pointer(kind)
    whole = type(row.moves) is int and all(isinstance(name, str | None) for name in (row.model, row.shadow))
    if not whole:
        raise Damaged(f"which {kind} serves cannot be read", cure="restore the ledger: docs/backup.md")
    since = _moment(connection, select(model_pointers.c.shadow_since).where(model_pointers.c.kind == kind))
    return Pointer(**{**row._mapping, "shadow": row.shadow if since else None}, shadow_since=since)


def _moment(connection: Connection, query: Select[Any]) -> datetime | None:
    """None too for one that cannot be read."""
    try:
        found: datetime | None = connection.execute(query).scalar_one_or_none()
    except (*UNREADABLE, TypeError):
        return None
    return found


def expect(connection: Connection, kind: str, moves: int) -> Pointer:
    found = find_pointer(connection, kind)
    if found.moves != moves:
        raise Conflict(f"somebody else has changed which {kind} serves or shadows", cure="look again, then try again")
    return found


def refuse_unfit(connection: Connection, kind: str, name: str | None) -> None:
    """Raises NotFound or Usage for a model that must not serve."""
    found = None if name is None else find_model(connection, name)
    if found is not None and found.kind != kind:
        raise Usage(f"{name} is of the kind {found.kind}, not {kind}", cure=LIST)
    if found is not None and found.state != CANDIDATE:
        why = f": {found.reason}" if found.reason else ""
        raise Usage(f"{name} is {found.state}{why}", cure="choose a candidate: vouch models list")


def store_pointer(connection: Connection, new: Pointer) -> None:
    """Raises Conflict if the row has changed since it was looked at."""
    values = {"model": new.model, "shadow": new.shadow, "shadow_since": new.shadow_since, "moves": new.moves}
    if new.moves == 1:
        connection.execute(insert(model_pointers).values(kind=new.kind, **values))
        return
    mine = (model_pointers.c.kind == new.kind) & (model_pointers.c.moves == new.moves - 1)
    if not connection.execute(update(model_pointers).where(mine).values(**values)).rowcount:
        raise Conflict(f"somebody else has changed which {new.kind} serves", cure="look again, then try again")


def note_shadow(connection: Connection, former: Pointer, seen: Mapping[str, Any] | None, at: datetime) -> None:
    """What was `seen` of the model that shadowed until now stays in its report. A damaged row stays as it is."""
    if former.shadow is None or seen is None:
        return
    try:
        report = find_model(connection, former.shadow).report
    except Damaged:
        return
    known = report.get(SHADOWS)
    noted = [*(known if isinstance(known, list) else ()), {**seen, "until": at.isoformat()}]
    put_report(connection, former.shadow, {**report, SHADOWS: noted})


def put_report(connection: Connection, name: str, report: Mapping[str, Any]) -> None:
    connection.execute(update(models).where(models.c.name == name).values(report=report))


def store_move(connection: Connection, former: Pointer, move: Move) -> None:
    """The pointer, and the move in the history. Raises what `store_pointer` raises."""
    shadow = None if former.shadow == move.model else former.shadow
    store_pointer(connection, Pointer(move.kind, move.model, shadow, move.at if shadow else None, former.moves + 1))
    values = {field: getattr(move, field) for field in Move.__slots__}
    connection.execute(insert(model_moves).values(**values))


def find_moves(connection: Connection, kind: str | None) -> Sequence[Move]:
    """One whose moment cannot be read is of LONG_AGO."""
    fields = [model_moves.c[name] for name in Move.__slots__]
    query = select(*fields).order_by(model_moves.c.id)
    mine = true() if kind is None else model_moves.c.kind == kind
    try:
        return [Move(**row._mapping) for row in connection.execute(query.where(mine))]
    except (*UNREADABLE, TypeError):
        dated = [field for field in fields if field.name != "at"]
        some = select(model_moves.c.id, *dated).where(mine).order_by(model_moves.c.id)
        return [_undated(connection, **row._mapping) for row in connection.execute(some).all()]


def _undated(connection: Connection, id: int, **fields: Any) -> Move:
    return Move(**fields, at=_moment(connection, select(model_moves.c.at).where(model_moves.c.id == id)) or LONG_AGO)
