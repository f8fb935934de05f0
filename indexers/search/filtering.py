"""Which of the documents that an audience may read the filters of a question leave."""

import numpy as np
from numpy.typing import NDArray

from indexers.parts.document_parts import Header
from indexers.versions.version import OpenVersion
from vouch.access import Permissions
from vouch.filters import Filters

Documents = NDArray[np.bool_]


def filtered(version: OpenVersion, permissions: Permissions, documents: Documents, filters: Filters) -> Documents:
    """Those of `documents` that meet `filters`, chosen by source, path, date, and who looks after them alone.

    Documents outside are not looked at: neither what is found nor how long that takes tells of them.
    """
    if not filters:
        return documents
    kept = np.zeros(len(documents), np.bool_)
    headers = version.headers
    for number in np.flatnonzero(documents).tolist():
        header = headers[number]
        kept[number] = filters.places(header.source, header.path) and _dated(version, number, filters) \
            and _owned(permissions, header, filters)
    return kept


def _dated(version: OpenVersion, number: int, filters: Filters) -> bool:
    return filters.after is None or filters.dates(version.stored(number).record.changed_at)


def _owned(permissions: Permissions, header: Header, filters: Filters) -> bool:
    return not filters.owners or filters.owned(permissions.owners_of(header.source, header.path, header.owners))
