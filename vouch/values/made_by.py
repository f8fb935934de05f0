"""Who made what an answer tells of: rules, or a model by its name."""

RULES = "rules"


def is_by_rules(name: str) -> bool:
    """Whether rules did, by what answers call them; how or why may stand behind: `rules (no language model is set)`."""
    return name == RULES or name.startswith((f"{RULES}, ", f"{RULES} ("))
