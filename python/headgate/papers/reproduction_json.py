"""What `headgate reproduce --json` prints of a paper, and what the file of a report has."""

from __future__ import annotations

from typing import Any

from ..cli.printed import Shape, key


class ReproduceJson(Shape):
    """The paper's numbers beside ours. What the verdicts mean stands in [how to reproduce a paper](../how-to/reproduce.md)."""

    paper: str = key("Name of the paper.")
    skill: SkillJson = key("How much the matches say, of the numbers that the paper prints.")
    others: SkillJson = key("The same of the numbers that the paper does not print.")
    claims_of_nulls: HeldJson = key("How many claims hold, and for which trivial models they do as well.")
    counts: dict[str, int] = key("Number of each verdict, of the numbers that the paper prints.")
    counts_of_others: dict[str, int] = key("The same of those that it does not print.")
    items: list[ItemJson] = key("Each item.")


class SkillJson(Shape):
    """How much matches say."""

    tested: int = key("Numbers that were tested.")
    ours: int = key("How many of them ours matches.")
    trivial: int = key("How many the trivial model would match.")
    wrong_pair: int = key("How many the best wrong pair would match.")
    only_ours: int = key("How many only ours matches.")
    zeros: int = key("Our matches of a 0.")
    wide: int = key("Our matches in which ours may differ by more than a quarter of the number.")


class HeldJson(Shape):
    """How many claims hold."""

    decided: int = key("Claims that were decided.")
    hold: int = key("Claims that hold.")
    trivial: int = key("Claims that hold for the trivial model.")
    trivial_of: int = key("Claims on which it has a say.")
    wrong_pair: int = key("Claims that hold for the best wrong pair.")
    wrong_pair_of: int = key("Claims on which it has a say.")
    only_ours: int = key("Claims that hold only for ours.")


class ItemJson(Shape):
    """An item."""

    item: str = key("Its name.")
    seeds: int = key("Runs with random start phases.")
    starts: int = key("Runs by which rows that depend on the start are judged.")
    base: str = key(
        "What its base run is: `together`, all sources start at once, or `start`, the first of the runs with random start "
        "phases ([what the base run is](../how-to/reproduce.md#what-the-base-run-is))."
    )
    skill: SkillJson = key("As above, of the item.")
    others: SkillJson = key("As above, of the item.")
    tables: list[TableJson] = key("Each published table.")
    numbers: list[NumberJson] = key("Each number.")
    rows: list[RowJson] = key("Rows that depend on the start.")
    claims: list[ClaimJson] = key("Each claim.")
    sections: list[SectionJson] = key("Tables of the item's own.")


class TableJson(Shape):
    """A published table."""

    table: str = key("Its name.")
    skill: SkillJson = key("As above, of the table.")
    others: SkillJson = key("As above, of the table.")


class NumberJson(Shape):
    """A number.

    One that the item's study measured has no runs with random start phases. An order of growth is 0 for O(1), 1 for O(log n), 2 for O(n).
    """

    table: str = key("Its table.")
    row: str = key("Its row.")
    source: str = key("Its source.")
    metric: str = key("Its metric.")
    unit: str = key("Unit of the number.")
    mark: str = key("Where the number comes from.")
    printed: bool = key("Whether the paper prints it.")
    paper: float | None = key("The paper's number; null where it prints nothing or the number is not its own.")
    printed_deviation: float | None = key("The paper's deviation.")
    ours: float | None = key("The same as `base`.")
    base: float | None = key("The base run.")
    same_rank: float | None = key(
        "Where sources are alike, what the base run has in the rank of the paper's number; `ci95`, `low` and `high` are then of that "
        "rank too."
    )
    expected: float | None = key("What was compared with the paper's number.")
    ci95: list[float | None] | None = key("95 % interval over the runs with random start phases.")
    seeds: int = key("The runs with random start phases that the verdict rests on.")
    low: float | None = key("Least value over these runs.")
    high: float | None = key("Greatest value over these runs.")
    rule: str | None = key("The rule of the verdict.")
    tolerance: float | None = key("By how much the two may differ.")
    trivial: float | None = key("What the trivial model gives; null where it knows nothing of the measure.")
    trivial_meets: bool = key("Whether that matches.")
    verdict: str = key("`match`, `miss`, `some-run`, `undecided`, `not-reproduced` or `not-tested`.")
    why: str = key("Why, in words.")
    claims: list[ClaimHeldJson] = key("The claims about the same row, measure and source.")


class ClaimHeldJson(Shape):
    """Whether a claim holds."""

    id: str = key("The claim.")
    holds: bool | None = key("Whether it holds; null where it cannot be tested.")


class RowJson(Shape):
    """A row that depends on the start. In start 0 all sources start at once."""

    table: str = key("Its table.")
    row: str = key("Its name.")
    sources: list[str] = key("Its sources.")
    verdict: str = key("`match` or `miss`.")
    starts: int = key("Number of starts.")
    hits: int = key("Starts at which all cells match.")
    frequency: float = key("Their share.")
    cells: int = key("Number of cells.")
    best_start: int = key("The start at which most cells match.")
    base_run: int = key("The base run.")
    met_at_best: int = key("Cells that match at the best start.")
    best: list[CellValueJson] = key("The values at the best start.")


class CellValueJson(Shape):
    """A value."""

    metric: str = key("Its metric.")
    source: str = key("Its source.")
    value: float | None = key("The value.")


class ClaimJson(Shape):
    """A claim. Where it is judged over starts it holds in `held_in` of `starts`; else these are 0."""

    id: str = key("Its name.")
    text: str = key("The claim in words.")
    holds: bool | None = key("Whether it holds; null where it cannot be tested yet.")
    measured: str = key("What was measured, in words.")
    trivial: bool | None = key(
        "Whether it would hold for the trivial model; null where that has nothing of what it looks at."
    )
    wrong_pair: bool | None = key("The same of the best wrong pair.")
    starts: int = key("Starts over which it is judged.")
    held_in: int = key("Starts in which it holds.")
    together: bool | None = key("Whether it holds when all sources start at once.")


class SectionJson(Shape):
    """A table of the item's own, of texts."""

    title: str = key("Its title.")
    measured: bool = key("Whether it holds times of this machine.")
    note: str = key("What else there is to know.")
    headings: list[str] = key("Its headings.")
    rows: list[list[str]] = key("Its rows.")
    holds: list[bool | None] = key("Of each row whether its statement holds; empty where rows are no statements.")


class ReproduceAllJson(Shape):
    """All papers. There are no times: the form is the same whether the work was interrupted or not."""

    headgate: str = key("Version of headgate.")
    papers: list[PaperRowJson] = key("A row for each paper.")
    reproductions: list[ReproduceJson] = key("What `headgate reproduce PAPER --json` prints, for each.")
    failures: list[ItemFailureJson] = key("The items that failed.")


class PaperRowJson(Shape):
    """A row. Claims in tables of an item's own are among the first three of `claims`."""

    paper: str = key("Name of the paper.")
    title: str = key("Its title.", always=False)
    printed: dict[str, int] = key(
        "Of the numbers that the paper prints: how many were tested, their verdicts, and what the trivial model and the best wrong pair "
        "would match."
    )
    others: dict[str, int] = key("The same of those that it does not print.")
    claims: dict[str, int] = key(
        "Claims that hold, fail and are open, and those that hold for the trivial model and for the best wrong pair."
    )


class ItemFailureJson(Shape):
    """An item that failed."""

    paper: str = key("Name of the paper.", always=False)
    item: str = key("The item.")
    error: str = key("What went wrong.")


class RecordJson(ReproduceJson):
    """The same with keys added. `headgate explore DIR` reads it.

    `headgate reproduce all --report DIR` leaves one in the folder of each paper.
    """

    format: int = key("1.")
    headgate: str = key("Version of headgate.")
    command: str = key("A command that makes the same.")
    title: str = key("Title of the paper.")
    authors: str = key("Its authors.")
    reference: str = key("Where it was published.")
    metrics: dict[str, dict[str, Any]] = key("How each measure follows from the tables of a run.")
    failures: list[ItemFailureJson] = key("The items that could not be reproduced.")
    items: list[RecordItemJson] = key("Each item.")  # type: ignore[assignment]


class RecordItemJson(ItemJson):
    """An item with keys added."""

    title: str = key("Its title.")
    note: str = key("What else there is to know.")
    missing: list[Any] = key("What is missing for it.")
    study: bool = key("Whether it has a study.")
    reproduced: bool = key("Whether it was reproduced.")
    variants: list[RecordVariantJson] = key("Its runs.")
    numbers: list[RecordNumberJson] = key("Each number.")  # type: ignore[assignment]
    claims: list[RecordClaimJson] = key("Each claim.")  # type: ignore[assignment]
    sections: list[RecordSectionJson] = key("Tables of the item's own.")  # type: ignore[assignment]


class RecordVariantJson(Shape):
    """The runs of a variant. Run 0 is of `scenario`: all sources start at once.

    Runs 1 to `starts` are replications 1 to `starts` of `phases`, in which sources start at random. The seed is the scenario's.
    """

    name: str = key("Its name.")
    digest: str | None = key("Digest of the base run.")
    starts: int = key("Runs with random start phases, the first 1000 of them.")
    base: int = key("The base run: 0 or 1.")
    zero_s: float = key("From when on the times of these runs count.", "s")
    scenario: dict[str, Any] = key("The scenario.")
    phases: dict[str, Any] | None = key("The scenario with random start phases; null if there are none.")


class RecordNumberJson(NumberJson):
    """A number with keys added."""

    value: float | None = key("What stands in the table, the paper's or not.")
    deviation: float | None = key("Its deviation.")
    rounding: float | None = key("Half a unit of its last digit.")
    where: dict[str, Any] = key("Its place.")
    variant: str | None = key("The variant whose runs give it; null where its item's study measures it.")
    values: list[float | None] = key("Its value in run 0, 1 and so on.")
    mechanism: str = key("Why it is missed.")


class RecordClaimJson(ClaimJson):
    """A claim with keys added."""

    variants: list[str] = key("The variants that it looked at.")
    why: str = key("Why it fails.")


class RecordSectionJson(SectionJson):
    """A table with keys added."""

    why: list[str] = key("The same of each row.")
