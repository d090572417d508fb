"""Reads published numbers: CSV files, a row per number, each with its place in its table, its unit and its mark."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence

from .checks import one_of, wrong
from .contents import PaperForm, TableForm
from .folder import Folder
from .model import MARKS, PLACES, Published, Variant

#: Orders of growth as a table prints them; log(B) stands for the logarithm of any size.
ORDERS = (r"O\(1\)", r"O\(log\(\w\)\)", r"O\(\w\)")

#: Columns that hold the number itself; every other column is a key of its place.
NUMBER = ("metric", "value", "stddev", "unit", "mark")


def read_numbers(
    folder: Folder,
    table: TableForm,
    place: str,
    paper: PaperForm,
    variants: Sequence[Variant],
    missing: Sequence[str],
) -> Iterator[Published]:
    """The rows of a published table that belong to one item; variants that are `missing` may stand in it.

    Raises:
        PaperError: a column is missing, or a cell is wrong; the error names the file and the line.
    """
    file = folder.origin(table.file)
    lines = csv.DictReader(folder.text(table.file, f"{folder.origin('paper.toml')}: {place}.file").splitlines())
    heads = list(lines.fieldnames or ())
    for name in ("metric", "value", "mark"):
        if name not in heads:
            raise wrong(file, "line 1", f"expected a column `{name}`", ", ".join(heads), heads)
    for name in table.only:
        one_of(folder.origin("paper.toml"), f"{place}.only", name, heads, f"column of {table.file}")
    keys = [h for h in heads if h not in NUMBER and h not in table.only]
    found = 0
    for row in lines:
        at = f"line {lines.line_num}"
        if None in row or None in row.values():
            raise wrong(file, at, f"expected {len(heads)} cells, as in the first line")
        if any(row[k] != str(v) for k, v in table.only.items()):
            continue
        found += 1
        one_of(file, f"{at}: mark", row["mark"], MARKS, "mark")
        one_of(file, f"{at}: metric", row["metric"], paper.metrics, "metric of paper.toml")
        where = {**{k: row[k] for k in keys if row[k]}, **{k: f"{v}" for k, v in table.where.items()}}
        value = row["value"].strip()
        yield Published(
            table=table.name,
            where=_row(where, file, at)
            if paper.metrics[row["metric"]].study
            else _placed(where, variants, missing, file, at),
            metric=row["metric"],
            unit=row.get("unit", ""),
            value=_number(value, file, f"{at}: value"),
            stddev=_number(row.get("stddev", ""), file, f"{at}: stddev"),
            mark=row["mark"],
            rounding=rounding(paper.zero if value == "0" else value),
        )
    if not found:
        only = ", ".join(f"{k} = {v}" for k, v in table.only.items())
        raise wrong(
            folder.origin("paper.toml"), place, f"expected rows in {table.file}{' with ' + only if only else ''}"
        )


def _row(where: Mapping[str, str], file: str, at: str) -> dict[str, str]:
    """The place of a number that a study measures: its row is called by all keys but the source."""
    names = [text for key, text in where.items() if key == "variant" or key not in PLACES]
    if not names:
        raise wrong(file, at, "expected the name of a row in the column `variant` or in a separate column")
    return {**where, "variant": ", ".join(names)}


def _placed(
    where: Mapping[str, str], variants: Sequence[Variant], missing: Sequence[str], file: str, at: str
) -> dict[str, str]:
    """The place with its variant, which is given or follows from the columns of a sweep's axes."""
    for key in ("from_s", "to_s"):
        _number(where.get(key, ""), file, f"{at}: {key}")
    names = [v.name for v in variants]
    if "variant" in where:
        if variants:
            one_of(file, f"{at}: variant", where["variant"], [*names, *missing], "variant of the item")
        return dict(where)
    keys = {k: v for k, v in where.items() if k not in PLACES}
    known = dict.fromkeys(k for v in variants for k in v.at)
    for key in keys:
        one_of(file, f"{at}: {key}", key, ["variant", *known], "variant, or a column of the item's axes")
    fits = [v for v in variants if all(k in v.at and _same(v.at[k], cell) for k, cell in keys.items())]
    if len(fits) != 1:
        said = ", ".join(f"{k} = {v}" for k, v in keys.items()) or "no column `variant`"
        raise wrong(file, at, f"expected the place of one variant; {said} fits {len(fits)} of {len(names)}")
    return {**where, "variant": fits[0].name}


def _same(cell: object, text: str) -> bool:
    """Whether a cell of an axis is what a table writes.

    >>> _same(0.5, ".50"), _same("fq", "fq"), _same(2, "3")
    (True, True, False)
    """
    try:
        return float(str(cell)) == float(text)
    except ValueError:
        return str(cell) == text


def _number(text: str, file: str, place: str) -> float | None:
    """A finite number, or None for an empty cell. An order of growth is 0 for O(1), 1 for O(log(n)), 2 for O(n)."""
    text = text.strip()
    if not text:
        return None
    if text.startswith("O("):
        found = [float(i) for i, form in enumerate(ORDERS) if re.fullmatch(form, text)]
        if not found:
            raise wrong(file, place, "expected O(1), O(log(n)) or O(n)", text)
        return found[0]
    if re.fullmatch(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?", text) is None or abs(float(text)) == float("inf"):
        raise wrong(file, place, "expected a number or nothing", text)
    return float(text)


def rounding(text: str) -> float:
    """Half a unit of the last printed digit. Nothing for an empty cell.

    >>> rounding("1.43"), rounding("582"), rounding(""), rounding("O(log(B))")
    (0.005, 0.5, 0.0, 0.0)
    """
    match = re.fullmatch(r"-?\d*(?:\.(\d+))?", text.strip())
    return 0.5 * 10.0 ** -len(match[1] or "") if match and text.strip() else 0.0
