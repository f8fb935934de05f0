"""What people found wrong with answers: how often for which reason, and which documents they call outdated."""

from collections import Counter
from datetime import datetime

from sqlalchemy import func, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, feedback
from vouch.adapters.ledger.usage.cited import Place, documents_of


class Complaints:
    """It checks nobody's permissions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def reasons(self, since: datetime, until: datetime) -> dict[str, int]:
        """Category → votes down of that time that named it."""
        query = (
            select(feedback.c.category, func.count())
            .where(feedback.c.at >= since, feedback.c.at < until, feedback.c.category.is_not(None))
            .group_by(feedback.c.category)
        )
        with self._database.read() as connection:
            return {str(row[0]): int(row[1]) for row in connection.execute(query)}

    def outdated(self, since: datetime, until: datetime) -> Counter[Place]:
        """Documents cited in answers that were called outdated in that time → in how many answers; of the web none."""
        called = select(feedback.c.answer_id).where(
            feedback.c.category == "outdated", feedback.c.at >= since, feedback.c.at < until)
        with self._database.read() as connection:
            bodies = list(connection.execute(select(answers.c.body).where(answers.c.answer_id.in_(called))).scalars())
        return documents_of(body.get("citations", ()) for body in bodies)
