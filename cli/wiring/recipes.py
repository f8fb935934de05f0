"""The settings with other recipes, for what compares them."""

from collections.abc import Sequence

from composition.ranking import recipe_of
from vouch.errors import Usage
from vouch.settings import Settings


def by_recipe(settings: Settings, named: Sequence[str]) -> dict[str, Settings]:
    """By the name of each, which tells no place. Raises Usage for one that is not there, is wrong, or is called as
    another."""
    found: dict[str, Settings] = {}
    for one in named:
        chosen = settings.model_copy(update={"recipe": one})
        name = recipe_of(chosen).name
        if name in found:
            raise Usage(f"two recipes are called {name}", cure='give one of them another name = "…" in its file')
        found[name] = chosen
    return found
