"""Answers about papers."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from .pages import Change

#: The verdict of a number, as docs/how-to/reproduce.md says what each means.
Verdict = Literal["match", "miss", "some-run", "undecided", "not-reproduced", "not-tested"]


class ClaimCounts(TypedDict):
    """How many claims hold, fail, and are not decided."""

    hold: int
    fail: int
    open: int


class VerdictCount(TypedDict):
    """How many numbers have a verdict."""

    verdict: Verdict
    count: int


class ItemName(TypedDict):
    """An item in the list of a paper."""

    name: str
    title: str
    reproduced: bool
    numbers: list[VerdictCount]
    others: list[VerdictCount]
    claims: ClaimCounts


class FailedItem(TypedDict):
    """An item that could not be reproduced, and why."""

    item: str
    error: str


class PaperName(TypedDict):
    """A paper and its items."""

    name: str
    title: str
    authors: str
    reference: str
    #: The version of headgate that reproduced it.
    version: str
    #: Whether its items can be reproduced on this page.
    here: bool
    failures: list[FailedItem]
    items: list[ItemName]


class PaperList(TypedDict):
    """The papers of a page."""

    papers: list[PaperName]


class PaperNumber(TypedDict):
    """A number of a table; values as the report writes them."""

    number: int
    row: str
    source: str
    paper: str
    ours: str
    interval: str
    range: str
    trivial: str
    trivial_meets: bool
    verdict: Verdict
    why: str
    mechanism: str
    #: The variant whose run gives it; null where no single run does. `near` are then variants that it may be about.
    variant: str | None
    near: list[str]


class PaperTable(TypedDict):
    """The numbers of one measure in a published table."""

    title: str
    whose: str
    numbers: list[PaperNumber]


class PaperRow(TypedDict):
    """A row of a table that is judged as a whole."""

    text: str
    holds: bool


class PaperClaim(TypedDict):
    """A claim of the paper, with the variants that it looked at."""

    id: str
    text: str
    holds: bool | None
    measured: str
    why: str
    variants: list[str]


class PaperSection(TypedDict):
    """A table of an item's own; `holds` and `why` are about its rows where they are statements."""

    title: str
    measured: bool
    note: str
    headings: list[str]
    rows: list[list[str]]
    holds: list[bool | None]
    why: list[str]


class VariantName(TypedDict):
    """A variant of an item, and how many runs it has beside the base run."""

    name: str
    starts: int


class PaperItem(TypedDict):
    """The tables and claims of an item."""

    paper: str
    item: str
    title: str
    note: str
    missing: list[str]
    here: bool
    reproduced: bool
    study: bool
    seeds: int
    variants: list[VariantName]
    tables: list[PaperTable]
    rows: list[PaperRow]
    claims: list[PaperClaim]
    sections: list[PaperSection]


class RunName(TypedDict):
    """A run of a variant: its number, what it gives for the number that is looked at, and whether most of the row comes out in it."""

    run: int
    value: str
    best: bool


class PaperRun(TypedDict):
    """A run of an item, and what is said about the number or the claim that it was opened for."""

    paper: str
    item: str
    number: int | None
    claim: str | None
    variant: str
    run: int
    #: The number of the base run.
    base: int
    scenario: dict[str, Any]
    heading: str
    said: list[str]
    runs: list[RunName]
    #: Of the base run in the report.
    digest: str | None
    #: What the report has for this run.
    value: str | None
    unit: str
    #: Whether the run gives the number.
    measured: bool
    #: The flows or the port that the number is about.
    flows: list[str]
    port: str | None


class MeasuredNumber(TypedDict):
    """What a run gives for a number of the item."""

    number: int
    value: float | None
    text: str


class PaperMeasured(TypedDict):
    """What a run gives by the paper's measures, and how its scenario differs from the paper's."""

    values: list[MeasuredNumber]
    digest: str
    changed: list[Change]
