"""Small words in sentences for people: counts with their nouns, lists, capitals."""

from collections.abc import Sequence


def counted(count: int, what: str) -> str:
    """A number with its noun, in singular or plural.

    >>> counted(1, "line"), counted(1200, "line"), counted(2, "delivery")
    ('1 line', '1,200 lines', '2 deliveries')
    """
    several = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count:,} {what if count == 1 else several}"


def listed(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    >>> listed(["ann", "bob", "cat"], 2)
    'ann, bob and 1 more'
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def capitalised(text: str) -> str:
    """The text with its first letter in upper case; all others stay as they are.

    >>> capitalised("a price in EUR")
    'A price in EUR'
    """
    return text[:1].upper() + text[1:]
