"""Arithmetic in the lines of claims: `spread(got) / 2`, over values that were measured.

A value has an axis for each list that it was measured over (variants, sources, starts), with a label for each place of it.
`got["DRR"]` takes one label of the first axis, `got["DRR", "CSFQ"]` several, `got[0]` and `got[1:]` places, and `got[:, 1]` the second
place of the second axis. What takes a list to one value (`mean`, `least`) does so with the last axis.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..base.errors import cut, nearest

Axes = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Values:
    """Numbers or truth values, and the labels of each axis."""

    array: npt.NDArray[Any]
    axes: Axes = ()

    def __post_init__(self) -> None:
        assert len(self.axes) == self.array.ndim


def plain(numbers: Any) -> Values:
    """Numbers without labels of their own: these are their places.

    >>> plain([5, 6]).axes
    (('0', '1'),)
    """
    array = np.asarray(numbers)
    return Values(array, tuple(tuple(map(str, range(n))) for n in array.shape))


def _spread(values: npt.NDArray[Any], axis: int) -> Any:
    """Largest over smallest; infinite when the smallest is not above zero."""
    low, high = np.nanmin(values, axis), np.nanmax(values, axis)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(low > 0, high / low, np.inf)


#: What takes a list to one value.
LISTS: dict[str, Callable[..., Any]] = {
    "mean": np.mean,
    "sum": np.sum,
    "least": np.min,
    "most": np.max,
    "median": np.median,
    "deviation": partial(np.std, ddof=1),
    "spread": _spread,
    "count": np.count_nonzero,
}

#: What is done with each value.
EACH: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "floor": np.floor,
    "sqrt": np.sqrt,
    "log": np.log,
    "log10": np.log10,
}

#: What is done with two values, place by place.
PAIRS: dict[str, Callable[..., Any]] = {"larger": np.maximum, "smaller": np.minimum}

#: `steps`: from each place of the last axis to the next; `label_of_least` and `label_of_most`: where it is least or greatest, as a number;
#: `flat`: all values in one list; `swapped`: the last two axes in the other order; `correlation` of two; `ranks`: the place that each
#: value has in order of size.
OTHERS = ("steps", "label_of_least", "label_of_most", "flat", "swapped", "correlation", "ranks")

FUNCTIONS = (*LISTS, *EACH, *PAIRS, *OTHERS)

_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


@cache
def parsed(text: str) -> ast.expr:
    """An expression.

    Raises:
        ValueError: it is none, or has something else than arithmetic; the text says what.
    """
    try:
        tree = ast.parse(text, mode="eval").body
        problem = _problem(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        problem = "arithmetic such as mean(a) / b"
    if problem:
        raise ValueError(f"found {cut(repr(text))}; expected {problem}")
    return tree


def _problem(node: ast.expr) -> str:
    """What was expected in place of something in an expression; empty if it is arithmetic."""
    if isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and type(node.value) in (int, float)):
        return ""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _problem(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _problem(node.left) or _problem(node.right)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
        return _problem(node.left) or _problem(node.comparators[0])
    if isinstance(node, ast.Subscript):
        try:
            _places(node.slice)
        except ValueError:
            return 'a label, labels or places in brackets, such as ["DRR"], [0] or [1:]'
        return _problem(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name, number = node.func.id, 2 if node.func.id in (*PAIRS, "correlation") else 1
        if name not in FUNCTIONS:
            hint = nearest(name, FUNCTIONS)
            return f"one of {', '.join(FUNCTIONS)} before a bracket{hint and '.' + hint}"
        if len(node.args) != number:
            return f"{number} value{'s' if number > 1 else ''} in {name}()"
        return next(filter(None, map(_problem, node.args)), "")
    return f"numbers, names, + - * / **, a comparison, and {', '.join(FUNCTIONS)}"


def names_in(node: ast.expr) -> set[str]:
    """The names of values in an expression."""
    called = {n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - called


def evaluate(node: ast.expr, value_of: Callable[[str], Values]) -> Values:
    """The value of an expression that was checked; `value_of` gives that of a name.

    Raises:
        ValueError: it has no value, such as a label that is not there.
    """
    if isinstance(node, ast.Constant):
        assert isinstance(node.value, int | float)
        return Values(np.asarray(float(node.value)))
    if isinstance(node, ast.Name):
        return value_of(node.id)
    if isinstance(node, ast.UnaryOp):
        of = evaluate(node.operand, value_of)
        return Values(-of.array, of.axes)
    if isinstance(node, ast.BinOp):
        return _both(_OPERATORS[type(node.op)], evaluate(node.left, value_of), evaluate(node.right, value_of))
    if isinstance(node, ast.Compare):
        right = evaluate(node.comparators[0], value_of)
        return _both(_OPERATORS[type(node.ops[0])], evaluate(node.left, value_of), right)
    if isinstance(node, ast.Subscript):
        return _taken(evaluate(node.value, value_of), _places(node.slice))
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return _called(node.func.id, [evaluate(argument, value_of) for argument in node.args])


def _called(name: str, given: list[Values]) -> Values:
    of = given[0]
    if name in PAIRS:
        return _both(PAIRS[name], *given)
    if name in EACH:
        return Values(np.asarray(EACH[name](of.array)), of.axes)
    if not of.axes:
        raise ValueError(f"{name}() found one value; expected a list")
    if name == "correlation":
        return _correlation(of, given[1])
    if name in LISTS:
        return Values(np.asarray(LISTS[name](of.array, axis=-1)), of.axes[:-1])
    if name == "steps":
        return Values(np.diff(of.array), (*of.axes[:-1], of.axes[-1][1:]))
    if name == "ranks":
        return Values(of.array.argsort().argsort().astype(float), of.axes)
    if name == "swapped" and len(of.axes) > 1:
        return Values(of.array.swapaxes(-1, -2), (*of.axes[:-2], of.axes[-1], of.axes[-2]))
    if name == "swapped":
        raise ValueError("swapped() found one list; expected a list of lists")
    if name == "flat":
        return plain(of.array.ravel())
    place = (np.argmin if name == "label_of_least" else np.argmax)(of.array, axis=-1)
    try:
        return Values(np.array([float(label) for label in of.axes[-1]])[place], of.axes[:-1])
    except ValueError:
        raise ValueError(f"{name}() found the labels {cut(', '.join(of.axes[-1]))}; expected numbers") from None


def _correlation(a: Values, b: Values) -> Values:
    """Of lists along the last axis."""
    both = _both(operator.add, a, b)
    pairs = zip(
        *(np.broadcast_to(v.array, both.array.shape).reshape(-1, both.array.shape[-1]) for v in (a, b)), strict=True
    )
    found = np.array([np.corrcoef(*pair)[0, 1] for pair in pairs])
    return Values(found.reshape(both.array.shape[:-1]), both.axes[:-1])


def _both(do: Callable[[Any, Any], Any], a: Values, b: Values) -> Values:
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            array = np.asarray(do(a.array, b.array))
    except ValueError:
        shapes = " and ".join(" by ".join(map(str, v.array.shape)) for v in (a, b))
        raise ValueError(f"found lists of {shapes} values; expected equal ones") from None
    return Values(array, next((v.axes for v in (a, b) if v.array.shape == array.shape), plain(array).axes))


#: A label, a place, or a part of an axis.
Place = str | int | slice


def _places(node: ast.expr) -> list[Place]:
    """What stands in brackets, an entry for each axis, or labels of the first.

    Raises:
        ValueError: something else does.
    """
    parts: Iterable[ast.expr] = node.elts if isinstance(node, ast.Tuple) else [node]
    found: list[Place] = []
    for part in parts:
        if isinstance(part, ast.Slice):
            ends = [None if end is None else ast.literal_eval(end) for end in (part.lower, part.upper, part.step)]
            if not all(end is None or isinstance(end, int) for end in ends):
                raise ValueError
            found.append(slice(*ends))
        else:
            place = ast.literal_eval(part)
            if type(place) not in (str, int):
                raise ValueError
            found.append(place)
    return found


def _taken(of: Values, places: list[Place]) -> Values:
    if len(places) > 1 and all(isinstance(place, str) for place in places):
        chosen: list[Any] = [[_number(of, 0, place) for place in places]]
    else:
        chosen = [_number(of, axis, place) for axis, place in enumerate(places)]
    array, axes = of.array[tuple(chosen)], list[tuple[str, ...]]()
    for axis, labels in enumerate(of.axes):
        which = chosen[axis] if axis < len(chosen) else slice(None)
        if isinstance(which, list):
            axes.append(tuple(labels[k] for k in which))
        elif isinstance(which, slice):
            axes.append(labels[which])
    return Values(np.asarray(array), tuple(axes))


def _number(of: Values, axis: int, place: Place) -> int | slice:
    """A place of an axis as a number or a part.

    Raises:
        ValueError: there is none.
    """
    if axis >= len(of.axes):
        raise ValueError(f"found {cut(repr(place))} in brackets after {len(of.axes)} lists; expected no more of these")
    labels = of.axes[axis]
    if isinstance(place, str):
        if place not in labels:
            raise ValueError(
                f"found {cut(repr(place))}; expected one of {cut(', '.join(labels))}.{nearest(place, labels)}"
            )
        return labels.index(place)
    if isinstance(place, int) and not -len(labels) <= place < len(labels):
        raise ValueError(f"found place {place}; expected one of {len(labels)}")
    return place
