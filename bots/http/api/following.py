"""Where a page of documents goes on: after the last one of the page before, as documents come and go between them."""

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bots.http.api.forms import Text


def _of_document(place: str) -> str:
    source, _, path = place.partition("/")
    if place and not (source and path):
        raise ValueError("is not SOURCE/PATH of a document; `next` of the page before has it")
    return place


class Following(BaseModel):
    """As a request asks for it."""

    model_config = ConfigDict(extra="forbid", frozen=True)      # `first`, passed over, would be the first page for ever

    after: Annotated[Text, AfterValidator(_of_document), Field(
        max_length=5000, description="SOURCE/PATH of the last document on the page before.",
        json_schema_extra={"pattern": r"^([^/\x00]+/[^\x00]+)?$"},
    )] = ""
    limit: Annotated[int, Field(ge=1, le=500, description="How many at most.")] = 100

    @property
    def place(self) -> tuple[str, str]:
        source, _, path = self.after.partition("/")
        return source, path

    def next_of(self, last: Mapping[str, Any], request: Request) -> str:
        """The address of what comes after that document."""
        place = f"{last['source']}/{last['path']}"
        return f"{request.url.path}?{urlencode({'after': place, 'limit': self.limit})}"


Beyond = Annotated[Following, Query()]
