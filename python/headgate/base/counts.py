"""Counts and lists of names in sentences, with the forms that they ask for."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, what: str, several: str = "", form: str = "") -> str:
    """A number with what is counted, in its form; `several` is the plural where that is not the word with an s, `form` that of the number.

    >>> counted(1, "run"), counted(0, "run"), counted(12_000, "packet", form=","), counted(2, "axis", "axes")
    ('1 run', '0 runs', '12,000 packets', '2 axes')
    """
    return f"{number:{form}} {what}" if number == 1 else f"{number:{form}} {several or what + 's'}"


def verb(number: int, one: str, several: str) -> str:
    """The form of a verb for that many.

    >>> f"{counted(1, 'flow')} {verb(1, 'shares', 'share')}", f"{counted(2, 'flow')} {verb(2, 'shares', 'share')}"
    ('1 flow shares', '2 flows share')
    """
    return one if number == 1 else several


def listed(names: Sequence[str], most: int = 4, what: str = "other") -> str:
    """Names in a sentence; of more than `most` the first ones, and how many others there are.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed(list("abcdef"))
    ('a', 'a and b', 'a, b and c', 'a, b, c and 3 others')
    """
    shown = list(names) if len(names) <= most else [*names[: most - 1], counted(len(names) - most + 1, what)]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
