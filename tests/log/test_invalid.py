"""What pydantic says reaches people in our words."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vouch.invalid import problem, problems
from vouch.messages import QuestionAsked
from vouch.settings import Settings


class One(BaseModel):
    model_config = ConfigDict(extra="forbid")
    text: Annotated[str, Field(min_length=1, max_length=3)] = "x"
    number: Annotated[int, Field(ge=1, le=5)] = 1
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5
    kind: Literal["a", "b"] = "a"
    many: Annotated[list[int], Field(max_length=2)] = []
    on: bool = True


@pytest.mark.parametrize(("fields", "said"), [
    ({"text": "four"}, "text is longer than 3 characters"), ({"text": ""}, "text is empty"),
    ({"text": 5}, "text must be text"), ({"number": "x"}, "number must be a whole number"),
    ({"number": 0}, "number must be 1 or more"), ({"number": 9}, "number must be 5 or less"),
    ({"share": 1}, "share must be less than 1.0"), ({"share": "secret"}, "share must be a number"),
    ({"kind": "secret"}, "kind must be 'a' or 'b'"), ({"many": [1, 2, 3]}, "many is longer than 2"),
    ({"on": "secret"}, "on must be true or false"), ({"other": "secret"}, "other is not known here"),
])
def test_it_is_said_in_words_that_people_use(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        One(**fields)
    assert problems(caught.value.errors()) == said


@pytest.mark.slow
def test_every_rule_of_a_setting_and_a_message_has_words() -> None:
    """The library's own sentences are the last resort: none of them is reached by what these models hold."""
    for model in (Settings, QuestionAsked):
        for wrong in ("", "\0", -1, 10**9, [], {}, "x" * 5000):
            for name in model.model_fields:
                with pytest.raises(ValidationError) as caught:
                    model.model_validate({name: wrong, "no such": 1})
                for error in caught.value.errors():
                    assert problem(error) != "is not valid" and "should" not in problem(error), error
