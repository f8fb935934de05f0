"""YAML for files that decide who may read: nothing in it may be understood in two ways."""

from collections.abc import Hashable
from typing import Any

import yaml

from vouch.errors import BadInput


class _Loader(yaml.SafeLoader):
    """Plain values only; a repeated key and an alias are refused, the latter because they can grow without end."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not allowed", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                raise yaml.MarkedYAMLError(problem="merge keys (<<) are not allowed", problem_mark=key_node.start_mark)
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {key!r} stands twice", problem_mark=key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def load_yaml(text: str, *, above: int = 0) -> Any:
    """The one document in `text`, of plain values.

    Raises BadInput with the line of the mistake; `above` is how many lines the file has above `text`.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader that is stricter still
    except yaml.MarkedYAMLError as error:
        raise BadInput(_located(error, above)) from error
    except yaml.YAMLError as error:
        raise BadInput(" ".join(str(error).split())) from error
    except RecursionError as error:
        raise BadInput("nested too deep") from error
    except (ValueError, TypeError, OverflowError, AttributeError) as error:  # such as the date 2027-13-45
        raise BadInput(f"a value that cannot be read: {error}") from error


def _located(error: yaml.MarkedYAMLError, above: int) -> str:
    """The mistake and its line, and where what it is in began, if that was on another line."""
    mark, began = error.problem_mark or error.context_mark, error.context_mark
    if mark is None:
        return str(error.problem)
    told = f"line {mark.line + 1 + above}: {error.problem}"
    if began is None or began.line == mark.line:
        return told
    return f"{told}, {error.context} that begins in line {began.line + 1 + above}"
