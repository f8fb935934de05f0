"""The registry of models, and per kind the pointer to the one that serves and to the one that shadows it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import model_pointers, models
from vouch.adapters.ledger.notices import NewNotice, put_notice
from vouch.adapters.ledger.registry.model_rows import (
    CANDIDATE,
    DECIDED,
    KINDS,
    LIST,
    REFUSED,
    RETIRED,
    Head,
    Move,
    Pointer,
    RegisteredModel,
    expect,
    find_head,
    find_model,
    find_models,
    find_moves,
    find_pointer,
    note_shadow,
    put_report,
    refuse_unfit,
    served_before,
    store_move,
    store_pointer,
)
from vouch.errors import Conflict, Usage

MODELS_TURN = "models"                  # what a model is, and what points at it, change one after the other
_FROM = {CANDIDATE: (CANDIDATE,), REFUSED: (CANDIDATE, REFUSED), RETIRED: (CANDIDATE, REFUSED, RETIRED)}


class Models:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, model: RegisteredModel) -> bool:
        """False if this very model is there already: it stays as it is. Raises Conflict if the name is another's."""
        with self._database.write(MODELS_TURN) as connection:
            known = connection.execute(select(models.c.body).where(models.c.name == model.name)).scalar_one_or_none()
            if known is not None and known != model.body:
                raise Conflict(f"another model is called {model.name}", cure="look at it: vouch models show")
            if known is None:
                fields = {field: getattr(model, field) for field in RegisteredModel.__slots__}
                connection.execute(insert(models).values(**fields))
        return known is None

    def get(self, name: str) -> RegisteredModel:
        """Raises NotFound, or Damaged for a row that cannot be read."""
        with self._database.read() as connection:
            return find_model(connection, name)

    def head(self, name: str) -> Head:
        """What is known of a model without its body. Raises NotFound."""
        with self._database.read() as connection:
            return find_head(connection, name)

    def pointer(self, kind: str) -> Pointer:
        with self._database.read() as connection:
            return find_pointer(connection, kind)

    def pointers(self) -> dict[str, Pointer]:
        """Of all kinds that ever had one, as of one moment. Raises Damaged for a row that cannot be read."""
        with self._database.read() as connection:
            kinds = connection.execute(select(model_pointers.c.kind).where(model_pointers.c.kind.in_(KINDS))).scalars()
            return {kind: find_pointer(connection, kind) for kind in kinds.all()}

    def move(
        self, kind: str, model: str | None, *, expected: int, reason: str, by: str, at: datetime,
        seen: Mapping[str, Any] | None = None, back: bool = False,
    ) -> Pointer:
        """`move_together` of one kind. `expected`: the pointer's `moves` when it was looked at."""
        shadows = {kind: seen} if seen is not None else None
        return self.move_together(
            {kind: model}, expected={kind: expected}, reason=reason, by=by, at=at, seen=shadows, back=back)[kind]

    def move_together(
        self, changes: Mapping[str, str | None], *, expected: Mapping[str, int], reason: str, by: str, at: datetime,
        notices: Sequence[NewNotice] = (), seen: Mapping[str, Mapping[str, Any]] | None = None, back: bool = False,
    ) -> dict[str, Pointer]:
        """Afterwards all of these serve (None: what comes with vouch), and the moves are in the history, or none.

        The `notices` wait to be posted from the same moment on; what was
        `seen` of a shadow that ends or is compared anew, by kind, is kept with it.
        `expected`: by kind the pointer's `moves` when it was looked at, also of
        kinds that stay as they are. Raises Conflict if one has changed since,
        NotFound, and Usage for a model that may not serve, or where all serve
        already. A shadow that is promoted ends; another one is compared with
        the new model from now on. `back`: it is a rollback; to what comes with
        vouch it is one in any case.
        """
        with self._database.write(MODELS_TURN) as connection:
            former = {kind: expect(connection, kind, moves) for kind, moves in expected.items()}
            wanted = {kind: model for kind, model in changes.items() if former[kind].model != model}
            if not wanted:
                names = " and ".join(model or "what comes with vouch" for model in changes.values())
                raise Usage(f"{names} {'serve' if len(changes) > 1 else 'serves'} already", cure=LIST)
            for kind, model in wanted.items():
                refuse_unfit(connection, kind, model)
                note_shadow(connection, former[kind], (seen or {}).get(kind), at)
                store_move(connection, former[kind], Move(
                    kind, former[kind].model, model, reason, by, at, back or model is None))
            for notice in notices:
                put_notice(connection, notice.id, notice.kind, notice.body, at)
            return {kind: find_pointer(connection, kind) for kind in changes}

    def shadow(
        self, kind: str, name: str | None, *, expected: int, at: datetime, seen: Mapping[str, Any] | None = None
    ) -> Pointer:
        """Afterwards this model shadows the one that serves; None: no model does. Raises what `move` raises.

        What was `seen` of the one that shadowed until now is kept with it.
        """
        with self._database.write(MODELS_TURN) as connection:
            former = expect(connection, kind, expected)
            if name is not None and former.model == name:
                raise Usage(f"{name} serves already, it cannot shadow itself", cure=LIST)
            refuse_unfit(connection, kind, name)
            note_shadow(connection, former, seen, at)
            store_pointer(connection, Pointer(kind, former.model, name, at if name else None, expected + 1))
            return find_pointer(connection, kind)

    def dismiss(
        self, kind: str, *, expected: int, reason: str, at: datetime, seen: Mapping[str, Any] | None = None
    ) -> Pointer:
        """Afterwards no model shadows, and the one that did is refused with the reason, or neither.

        What was `seen` of it is kept with it.
        Raises Conflict if the pointer has changed since it was looked at, and Usage if nothing shadows.
        """
        with self._database.write(MODELS_TURN) as connection:
            former = expect(connection, kind, expected)
            if former.shadow is None:
                raise Usage(f"no {kind} shadows", cure=LIST)
            note_shadow(connection, former, seen, at)
            store_pointer(connection, Pointer(kind, former.model, None, None, expected + 1))
            mine = models.c.name == former.shadow
            connection.execute(update(models).where(mine).values(state=REFUSED, reason=reason))
            return find_pointer(connection, kind)

    def note_decision(self, kind: str, of: Mapping[str, Any], decided: Mapping[str, Any], *, expected: int) -> None:
        """Afterwards the report of the model that shadows says what was decided, `of` which time and settings, or what
        somebody else had noted of the same.

        Raises Conflict as `move` does, Usage where nothing shadows, and Damaged.
        """
        with self._database.write(MODELS_TURN) as connection:
            shadow = expect(connection, kind, expected).shadow
            if shadow is None:
                raise Usage(f"no {kind} shadows", cure=LIST)
            report = find_model(connection, shadow).report
            known = report.get(DECIDED)
            if isinstance(known, Mapping) and {**known, **of} == known:
                return
            put_report(connection, shadow, {**report, DECIDED: {**of, **decided}})

    def set_state(self, name: str, state: str, reason: str) -> None:
        """Of a row that cannot be read, too.

        Raises NotFound, and Usage for one that serves or shadows, and for a way back to being a candidate.
        """
        with self._database.write(MODELS_TURN) as connection:
            head = find_head(connection, name)
            if head.state not in _FROM[state]:
                raise Usage(f"{name} is {head.state} and cannot be {state}", cure="register another model")
            pointer = find_pointer(connection, head.kind)
            if state != CANDIDATE and name == pointer.model:
                raise Usage(f"{name} serves, and cannot be {state}", cure=f"first: vouch models rollback {head.kind}")
            if state != CANDIDATE and name == pointer.shadow:
                raise Usage(f"{name} shadows, and cannot be {state}", cure="first: vouch models shadow --stop")
            connection.execute(update(models).where(models.c.name == name).values(state=state, reason=reason))

    def former(self, kind: str) -> str | None:
        """Which model a rollback goes to: the one before that may still serve; None: what comes with vouch.

        Raises Usage where nothing but that ever served, or serves.
        """
        with self._database.read() as connection:
            chain = served_before(find_moves(connection, kind))
            current = find_pointer(connection, kind).model
            if current is None:
                raise Usage(f"no registered {kind} serves, so there is none to go back from", cure=LIST)
            fit = select(models.c.name).where(models.c.name.in_(chain), models.c.state == CANDIDATE)
            names = set(connection.execute(fit).scalars())
        return next((name for name in reversed(chain) if name in names and name != current), None)

    def moves(self, kind: str | None = None) -> Sequence[Move]:
        """Of one kind, or all, oldest first."""
        with self._database.read() as connection:
            return find_moves(connection, kind)

    def list(self, kind: str | None = None) -> Sequence[RegisteredModel]:
        """Of one kind, or all, oldest first."""
        with self._database.read() as connection:
            return find_models(connection, kind)
