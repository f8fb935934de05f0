"""Numbers with the names of what they count."""


def count(number: int, thing: str, plural: str = "") -> str:
    """`number` of `thing`, in the plural unless it is one."""
    return f"{number} {thing}" if number == 1 else f"{number} {plural or thing + 's'}"
