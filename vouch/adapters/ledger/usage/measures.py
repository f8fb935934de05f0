"""Scores and features of candidates over a time, drawn from its answers: what drift is measured by."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, candidates
from vouch.batches import batches

SCORES = ("lexical_score", "dense_score", "rerank_score", "probability")
_BATCH = 500


@dataclass(frozen=True)
class Measured:
    """By name one number per candidate of `answers` answers; NaN where a candidate has none."""

    answers: int
    values: Mapping[str, NDArray[np.float64]]


class Measures:
    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, since: datetime, until: datetime, *, schema: int, names: Sequence[str], most: int) -> Measured:
        """Scores, and the features `names` of that schema, of the candidates of answers made in that time.

        Of more than `most` answers that many are looked at: those of the least ids, which are hashes, so that
        they are drawn without regard to anything, and the same each time.
        """
        drawn_answers = (
            select(answers.c.answer_id)
            .where(answers.c.made_at >= since, answers.c.made_at < until)
            .where(select(candidates.c.id).where(_of_answer, candidates.c.schema == schema).exists())
            .order_by(answers.c.answer_id)
            .limit(most)
        )
        columns = [candidates.c[name] for name in SCORES]
        rows: list[list[float | None]] = []
        with self._database.read() as connection:
            ids = list(connection.execute(drawn_answers).scalars())
            for some in batches(ids, _BATCH):
                here = candidates.c.answer_id.in_(some)
                query = select(*columns, candidates.c.features).where(here, candidates.c.schema == schema)
                with suppress(ValueError, RecursionError):      # a row that cannot be read ends its batch
                    for *scores, features in connection.execute(query):
                        if isinstance(features, Mapping):
                            rows.append([*scores, *map(features.get, names)])
        table = np.array(rows, dtype=np.float64).reshape(len(rows), len(SCORES) + len(names))
        return Measured(len(ids), {name: table[:, n] for n, name in enumerate((*SCORES, *names))})


_of_answer = candidates.c.answer_id == answers.c.answer_id
