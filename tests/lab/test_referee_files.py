"""Files of cases with anything in them: a case, or an error that names the file."""

import contextlib
import copy
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.base.errors import HeadgateError
from headgate.lab.frame.subjects import named
from headgate.lab.referee import steps
from headgate.lab.referee.build import scenario
from headgate.lab.referee.case import Case
from headgate.lab.referee.files import cases, made, read

KNOWN = [
    case
    for case in cases()
    if case.name in {"r97-08", "r97-12", "fire-01", "qs-01", "s-04", "s-21", "a79-06", "bbr-01"}
]
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(), st.text(max_size=8),
    st.sampled_from(["0s", "1ps", "1e9s", "$x", "$", "0bit/s", "1BDP", "inf", "subject", "-1ms", "\x00", "line", "own"]),
)  # fmt: skip


def nested(inner):
    return st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3))


VALUES = st.recursive(SCALARS, nested, max_leaves=5)


def plain(case: Case) -> dict:
    data = case.model_dump(by_alias=True, exclude_defaults=True, exclude={"name", "family", "file"})
    return copy.deepcopy(data)


def places(value, path=()):
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


@pytest.mark.slow
@given(st.integers(0, 10**9), st.lists(VALUES, min_size=1, max_size=2), st.booleans())
@settings(max_examples=100)
def test_a_changed_case_is_one_or_an_error(number, values, key):
    draw = random.Random(number)
    case = draw.choice(KNOWN)
    data = plain(case)
    for value in values:
        path = draw.choice([p for p in places(data) if p])
        at = data
        for part in path[:-1]:
            at = at[part]
        if key and isinstance(at, dict):
            at[f"{path[-1]}x"] = value
        else:
            at[path[-1]] = value
    subject = named(
        "fcfs" if data.get("judges") == "aqm" else "reno", "aqm" if data.get("judges") == "aqm" else "control"
    )
    with contextlib.suppress(HeadgateError):
        changed = made(data, "changed", "changed.case")
        if changed.steps and sum(step.times for step in changed.steps) < 10_000:
            steps.run(changed, subject.table)
        elif not changed.steps:
            for cell in changed.grid()[:3]:
                scenario(changed, cell, subject)


@given(st.binary(max_size=60))
def test_bytes_are_an_error(tmp_path_factory, data):
    file = tmp_path_factory.getbasetemp() / "bytes.case"
    file.write_bytes(data)
    with pytest.raises(HeadgateError, match=r"bytes\.case"):
        read(file)
