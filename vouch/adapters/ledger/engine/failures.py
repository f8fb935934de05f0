"""Turns the failures of SQLAlchemy and its drivers into ours."""

import contextlib
import sqlite3
from collections.abc import Iterator

from sqlalchemy import exc

from vouch.errors import BadInput, Busy, Conflict, Damaged, LedgerDown, Usage, VouchError

_SQLITE_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_SQLITE_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}  # the last: a table is gone
_POSTGRES_BUSY = {"40001", "40P01", "55P03"}   # serialization failure, deadlock, lock not available
_POSTGRES_DAMAGED = {"XX001", "XX002", "42P01"}    # data corrupted, index corrupted, a table is gone
_POSTGRES_RIGHTS = {"42501"}                   # an administrator can grant them while we wait

_UNKNOWN_PARAMETER = "invalid connection option"     # as libpq says it, without a code

_DOWN = (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.DisconnectionError)


@contextlib.contextmanager
def as_ours(name: str) -> Iterator[None]:
    """Inside, every error of SQLAlchemy becomes one of ours.

    Only what waiting may fix is LedgerDown or Busy: a caller pauses on those,
    and must not pause for ever on a value that can never be stored.
    """
    try:
        yield
    except exc.SQLAlchemyError as error:
        raise translate(name, error) from error


def translate(name: str, error: exc.SQLAlchemyError) -> VouchError:
    # The driver's own words: SQLAlchemy's repeat the statement with its values.
    cause = getattr(error, "orig", None) or error
    said = str(cause).strip().splitlines() or [type(cause).__name__]
    text = f"ledger {name}: {said[0]}"
    code = (getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF
    state = getattr(cause, "sqlstate", None)
    if code in _SQLITE_BUSY or state in _POSTGRES_BUSY or isinstance(error, exc.TimeoutError):
        return Busy(text, cure="wait for the other process, then try again")
    if code in _SQLITE_DAMAGED or state in _POSTGRES_DAMAGED:
        return Damaged(text, cure="restore the ledger from a backup")
    if state in _POSTGRES_RIGHTS:
        return LedgerDown(text, cure="give the user of VOUCH_LEDGER__URL the right to make tables and to change them")
    if isinstance(error, exc.IntegrityError):
        return Conflict(text, cure="somebody else wrote the same; look again before trying again")
    if isinstance(error, exc.DataError):
        return BadInput(text, cure="fix the value; the ledger cannot hold it")
    if isinstance(error, _DOWN):
        file = isinstance(cause, sqlite3.Error)
        on_disk = "check free disk space and the permissions of the folder"
        on_a_server = "check that it runs and accepts this user and password"
        return LedgerDown(text, cure=on_disk if file else on_a_server)
    if _UNKNOWN_PARAMETER in said[0]:
        return Usage(text, cure="fix VOUCH_LEDGER__URL: after the ? come parameters of libpq")
    return VouchError(text, cure="this is a fault of vouch; please report it")
