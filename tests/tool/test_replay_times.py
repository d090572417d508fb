"""Times of a trace: those of a table's numbers are those of the same times as text."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import headgate
from headgate.base.errors import TraceError

#: Digits after the point that the types of Arrow have, and whole numbers of their units as a column.
COLUMNS: dict[str, int] = {
    "int64": 0, "timestamp[s]": 0, "timestamp[ms]": 3, "timestamp[us]": 6, "timestamp[ns]": 9, "duration[us]": 6,
    "decimal32": 6, "decimal64": 6, "decimal128": 9, "decimal128 beyond a picosecond": 14, "decimal256": 12,
}  # fmt: skip


def column(kind: str, numbers: list[int]) -> Any:
    """Whole numbers of a type's units."""
    pa = pytest.importorskip("pyarrow")
    digits = COLUMNS[kind]
    if "decimal" in kind:
        name, size = kind.split()[0], {"decimal32": 9, "decimal64": 18, "decimal256": 60}.get(kind, 38)
        return pa.array([Decimal(n).scaleb(-digits) for n in numbers], getattr(pa, name)(size, digits))
    plain = pa.array(numbers, "int64")
    return plain if kind == "int64" else plain.cast(pa.type_for_alias(kind))


def rows(trace: Any, out: Path) -> str:
    """The rows of a replay as text, which has times exactly."""
    headgate.replay(trace, "fq", "1Mbit/s", "4KB", out=out, packets=False, series=False)
    return out.read_text()


def by_text(texts: list[str], folder: Path) -> str:
    """The rows of a replay of a CSV file with these times."""
    trace = folder / "text.csv"
    trace.write_text("time_s,flow,size_bytes\n" + "".join(f"{t},{i % 3},700\n" for i, t in enumerate(texts)))
    return rows(trace, folder / "text-out.csv")


def table(times: Any) -> Any:
    pa = pytest.importorskip("pyarrow")
    return pa.table(
        {"time_s": times, "flow": [str(i % 3) for i in range(len(times))], "size_bytes": [700] * len(times)}
    )


@pytest.mark.parametrize("kind", COLUMNS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_whole_numbers_and_decimals_are_what_their_text_is(
    kind: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    digits = COLUMNS[kind]
    unit = 10**digits
    most = 900 if kind == "decimal32" else 1_800_000_000
    seconds = st.integers(-most * unit, most * unit)
    first = data.draw(seconds)
    steps = data.draw(st.lists(st.integers(0, unit // 50 + 1), max_size=8))
    numbers = [first + sum(steps[:i]) for i in range(len(steps) + 1)]
    folder = tmp_path_factory.mktemp("times")
    texts = [f"{Decimal(n).scaleb(-digits):f}" for n in numbers]
    # A part of a longer column begins somewhere within its bytes.
    part = table(column(kind, [numbers[0], *numbers, numbers[-1]])).slice(1, len(numbers))
    flows = [str(i % 3) for i in range(len(numbers))]
    part = part.set_column(1, "flow", [flows])
    assert rows(part, folder / "out.csv") == by_text(texts, folder)


def in_the_middle(x: float) -> bool:
    """Whether a float is as far from the next decimal as from its own, which has as many digits."""
    return (Fraction(x) * 10 ** -Decimal(repr(x)).as_tuple().exponent) % 1 == Fraction(1, 2)


@settings(max_examples=100, deadline=None)
@given(
    first=st.floats(-1e10, 1e10) | st.floats(1.6e9, 1.8e9) | st.integers(-(10**16), 10**16).map(lambda us: us / 1e6),
    steps=st.lists(st.floats(0, 0.01), max_size=8),
)
def test_a_float_is_what_its_shortest_text_is(
    first: float, steps: list[float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    times = [first + sum(steps[:i]) for i in range(len(steps) + 1)]
    # In the middle between two decimals that mean it, Python takes the even one and Rust the upper one.
    assume(not any(in_the_middle(t) for t in times))
    folder = tmp_path_factory.mktemp("times")
    assert rows(table(times), folder / "out.csv") == by_text([repr(t) for t in times], folder)


def test_missing_and_huge_times_have_their_place() -> None:
    pa = pytest.importorskip("pyarrow")
    huge = Decimal(10**37)
    for times, found in [
        (pa.array([Decimal(1), None, Decimal(3)], pa.decimal128(38, 3)), "packet 2: time_s: found nothing"),
        (pa.array([Decimal(1), huge, huge], pa.decimal128(38, 0)), f"packet 2: time_s: found {10**37}e0"),
        (pa.array([1.0, 1e30, 3e30]), "packet 2: time_s: found 1e30; expected a time"),
        (pa.array([1, 2**62, 2**62]), "packet 1: time_s: found 1.000000000000; expected a time within 106 days of 46"),
        (pa.array([Decimal(2), Decimal(1), Decimal(3)], pa.decimal128(9, 2)), "packet 2: time_s: found 1.0000"),
        (pa.array([Decimal(1), Decimal(10**60)], pa.decimal256(70, 0)), "after packet 0"),
    ]:
        with pytest.raises(TraceError) as caught:
            headgate.replay(table(times), "fcfs", "1Mbit/s")
        assert found in str(caught.value)
    times = pa.array([Decimal(1), None, Decimal(3)], pa.decimal128(38, 3))
    skipped = headgate.replay(table(times), "fcfs", "1Mbit/s", lenient=True)
    assert skipped.skipped == {"bad_time": 1}
    assert skipped.packets()["arrival_s"].tolist() == [1.0, 3.0]
