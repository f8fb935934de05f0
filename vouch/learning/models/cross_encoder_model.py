"""A reranker or a judge in the registry: which cross-encoder it is, never where it lies.

The model itself is a folder that is kept in the home under its fingerprint, so
that nothing which the ledger says leads to another place.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from vouch.learning.models.model_file import Figures, Text, Texts

WHAT, CURE = "a cross-encoder", "register its folder again: vouch models add FOLDER"
_Bytes = Annotated[int, Field(ge=0, le=2**50)]


class CrossEncoderModel(BaseModel):
    """`weights` is the fingerprint over all its files, what evaluators are trained with; `base` that of the encoder
    that a judge was made from, empty for other models."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Annotated[str, Field(pattern="^cross-encoder$")] = "cross-encoder"
    reranker_schema: Annotated[int, Field(ge=1, le=1)] = 1
    weights: Annotated[str, Field(pattern=r"^cross-encoder:[0-9a-f]{32}$")]
    base: Text = ""
    files: Annotated[dict[Text, _Bytes], Field(min_length=1, max_length=100)]   # and how many bytes each has
    data: Texts = ()
    trained_on: Text = ""               # the day, ISO 8601; where it is known
    figures: Figures = {}

    @property
    def fingerprint(self) -> str:
        """Changes whenever a file does."""
        return self.weights
