"""Claims of a paper as predicates over what was measured, and the view of an item's runs that they see."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..base.documents import document
from ..base.errors import HeadgateError
from .checks import checked, one_of, wrong
from .claim_tables import SHARED, read_claim, read_shared
from .folder import folder_of
from .lines import LineClaim, OwnMeasure
from .measure import Floats, Outcome
from .model import Item, Measure, Name, Paper, PaperError, unknown

Span = tuple[float, float]

#: A predicate: whether the claim holds, and the measured value in words. `None` means that it cannot be tested yet.
Predicate = Callable[["Runs"], tuple[bool | None, str]]


M = TypeVar("M", bound=OwnMeasure)

#: Whether a claim would hold for a trivial model and for a wrong pair; None where these have nothing of what it looks at.
Nulls = Callable[["Runs"], tuple[bool | None, bool | None]]


class Runs:
    """All runs of one item: per variant a base run and runs with random start phases.

    `seeds` are those that verdicts and claims rest on, a number of them that the paper's folder fixes; `starts` are all that were run.
    In the base run all sources start at once, or it is the first of `seeds`, where the item says so; `together` then has the runs in which
    they start at once. `count_instructions` asks studies that measure the machine for its instructions too. `start` is the number of the
    only start or repetition that is asked about, where there is only one.
    """

    def __init__(
        self,
        paper: Paper,
        item: Item,
        base: Mapping[str, Outcome],
        seeds: Mapping[str, list[Outcome]],
        starts: Mapping[str, list[Outcome]] | None = None,
        *,
        together: Mapping[str, Outcome] | None = None,
        count_instructions: bool = False,
        start: int | None = None,
    ) -> None:
        """Collects the outcomes of `item`."""
        self.paper = paper
        self.item = item
        self.base = base
        self.seeds = seeds
        self.starts = seeds if starts is None else starts
        self.together = base if together is None else together
        self.count_instructions = count_instructions
        self.start = start
        #: What was looked at: (variant, metric, source).
        self.seen: set[tuple[str, str, str]] = set()

    def of(self, variant: str, metric: str, *sources: str, span: Span | None = None) -> Floats:
        """The base run's values of these sources; nan where nothing was measured."""
        return self._values(variant, self._base(variant), metric, sources, span)

    def over(self, variant: str, metric: str, *sources: str, span: Span | None = None) -> Floats:
        """Values of these sources in the base run (row 0) and in every seed (the other rows), of which the base run may be one."""
        runs = [self._base(variant), *(o for o in self.seeds.get(variant, []) if o is not self.base[variant])]
        return np.array([self._values(variant, r, metric, sources, span) for r in runs])

    def sd(self, variant: str, metric: str, *sources: str, span: Span | None = None) -> Floats:
        """Standard deviations of the base run's interval means."""
        m = self._metric(metric)
        self.seen |= {(variant, metric, s) for s in sources}
        return np.array([self._base(variant).value(m, s, span).std for s in sources])

    def intervals(self, variant: str, metric: str, source: str, span: Span | None = None) -> Floats:
        """The base run's interval means of one source."""
        self.seen.add((variant, metric, source))
        return self._base(variant).series(self._metric(metric), source, span)

    def trace(self, variant: str, kind: str, source: str) -> tuple[Floats, Floats]:
        """Times and values of a trace of the base run."""
        return self._base(variant).trace(kind, source)

    def port_trace(self, variant: str, kind: str, port: str) -> tuple[Floats, Floats]:
        """Times and values of a trace of a port (`LINK` or `LINK:reverse`) in the base run."""
        return self._base(variant).port_trace(kind, port)

    def gauge(self, variant: str, link: str, name: str) -> tuple[Floats, Floats]:
        """Times and values of a gauge at the beginning of a link, in the base run."""
        return self._base(variant).gauge(link, name)

    def link(self, variant: str, link: str, column: str) -> float:
        """A value of the base run's table of links, at the beginning of a link."""
        return self._base(variant).link(link, column)

    def flows(self, variant: str) -> list[str]:
        """The flows of a variant, in the scenario's order."""
        return self._base(variant).flows

    def digest(self, variant: str) -> str:
        """Digest of all events of the base run."""
        return self._base(variant).digest

    @property
    def end(self) -> float:
        """End of the base runs in seconds."""
        return next(iter(self.base.values())).end

    def views(self) -> list[Runs]:
        """Of each start that claims are judged over the runs in which it is the only one. They have the variants with such a start."""
        return [
            Start(self.paper, self.item, {name: found[k] for name, found in self.seeds.items() if k < len(found)})
            for k in range(self.item.seeds)
        ]

    def all_at_once(self) -> Runs:
        """The runs in which all sources start at once, alone."""
        return Runs(self.paper, self.item, self.together, {})

    def _base(self, variant: str) -> Outcome:
        if variant not in self.base:
            raise unknown("variant", variant, self.base)
        return self.base[variant]

    def _metric(self, name: str) -> Measure:
        if name not in self.paper.metrics:
            raise unknown("metric", name, self.paper.metrics)
        return self.paper.metrics[name]

    def _values(self, variant: str, run: Outcome, metric: str, sources: tuple[str, ...], span: Span | None) -> Floats:
        m = self._metric(metric)
        self.seen |= {(variant, metric, s) for s in sources}
        return np.array([run.value(m, s, span).mean for s in sources])


class Start(Runs):
    """One start of every variant, with the traces that the item keeps of every start."""

    def __init__(self, paper: Paper, item: Item, base: Mapping[str, Outcome]) -> None:
        """Takes the outcome of each variant at this start."""
        super().__init__(paper, item, base, {})

    def trace(self, variant: str, kind: str, source: str) -> tuple[Floats, Floats]:
        """Times and values of a trace.

        Raises:
            PaperError: the item keeps it in the base run alone.
        """
        self._keeps(variant)
        return super().trace(variant, kind, source)

    def port_trace(self, variant: str, kind: str, port: str) -> tuple[Floats, Floats]:
        """Times and values of a trace of a port.

        Raises:
            PaperError: the item keeps it in the base run alone.
        """
        self._keeps(variant)
        return super().port_trace(variant, kind, port)

    def _keeps(self, variant: str) -> None:
        of = self.item.variant(variant)
        own = "traces" in of.settings or (of.scenario or self.item.scenario or {}).get("traces")
        if not own and not (self.item.traced if of.traced is None else of.traced):
            raise PaperError(f"{self.item.name}: a claim looks at a trace of every start; expected it in `traced`")


@dataclass(frozen=True)
class Claim:
    """A statement of the paper about one item, with its predicate, and what null models of the paper's own say of it.

    Where an item is judged over starts the predicate is asked about each of them by itself; one that is `whole` is asked once about all.
    """

    id: str
    item: str
    text: str
    test: Predicate
    nulls: Nulls | None = None
    whole: bool = False


@dataclass(frozen=True)
class Finding:
    """The outcome of a claim: `holds` is None where it could not be tested.

    `about` are the variants, metrics and sources that it looked at. `trivial` and `wrong_pair` say whether it would hold for the trivial
    model and for the best wrong pair (`nulls.py`): None where these give nothing of what it looks at. Where a claim is judged over starts
    it holds in `held_in` of `starts`, and `together` says whether it holds when all sources start at once.
    """

    id: str
    text: str
    holds: bool | None
    measured: str
    about: frozenset[tuple[str, str, str]] = frozenset()
    trivial: bool | None = None
    wrong_pair: bool | None = None
    starts: int = 0
    held_in: int = 0
    together: bool | None = None

    @property
    def judged_by_nulls(self) -> bool:
        """Whether one of the null models has a say."""
        return self.trivial is not None or self.wrong_pair is not None


@dataclass(frozen=True)
class Held:
    """Counts over the claims that were decided.

    `hold` for ours. Of all, `trivial_of` and `wrong_pair_of` are those on which the trivial model and the best wrong pair have a say, and
    `trivial` and `wrong_pair` those that hold for them. `only_ours` hold for ours and for neither of the two, of which at least one
    has a say.
    """

    decided: int
    hold: int
    trivial: int
    trivial_of: int
    wrong_pair: int
    wrong_pair_of: int
    only_ours: int

    def to_dict(self) -> dict[str, int]:
        """The JSON form."""
        return asdict(self)


def held(findings: Iterable[Finding]) -> Held:
    """Counts the claims that hold."""
    decided = [f for f in findings if f.holds is not None]
    return Held(
        len(decided),
        sum(f.holds is True for f in decided),
        sum(f.trivial is True for f in decided),
        sum(f.trivial is not None for f in decided),
        sum(f.wrong_pair is True for f in decided),
        sum(f.wrong_pair is not None for f in decided),
        sum(f.holds is True and not f.trivial and not f.wrong_pair and f.judged_by_nulls for f in decided),
    )


#: What a predicate of a claim gives that can always be tested: whether it holds, and the measured value in words.
Result = tuple[bool, str]

#: Statements by the name of their claim, by item.
Statements = dict[str, dict[str, Name]]


class Claims:
    """The list of a paper's claims; its `claims` module has one, called `CLAIMS`."""

    def __init__(self, module: str = "", file: str = "claims.toml") -> None:
        """An empty list; the statements stand in a file beside a module, whose `__file__` is given, or in the code.

        Raises:
            PaperError: something in the file is wrong.
        """
        path = Path(module).parent / file
        self._file = f"{path.parent.name}/{file}" if module else "claims.py"
        statements: Statements = {}
        #: Claims that the file has in lines, by item and name, and what they may measure beside the metrics of `paper.toml`.
        self.lines: dict[tuple[str, str], LineClaim] = {}
        self.measures: dict[str, OwnMeasure] = {}
        if module:
            try:
                given = document(path.read_text("utf-8"), self._file, "statements")
            except HeadgateError as e:
                raise PaperError(str(e)) from None
            shared = read_shared(given.pop(SHARED, {}), self._file)
            for item, claims in given.items():
                for claim, table in claims.items() if isinstance(claims, dict) else ():
                    if isinstance(table, dict):
                        place = f"{item}.{claim}"
                        found = read_claim(table, self._file, place)
                        claims[claim] = found.clause
                        if found.must:
                            self.lines[item, claim] = LineClaim(self._file, place, found, shared, self.measures)
            statements = checked(Statements, given, self._file)
        self._known = {(item, name): text for item, texts in statements.items() for name, text in texts.items()}
        self._all: list[Claim] = []

    @property
    def all(self) -> list[Claim]:
        """The claims, in the order of the file, or else of the code."""
        order, named = list(self._known), {(c.item, c.id) for c in self._all}
        lines = [
            Claim(name, item, self._known[item, name], test, whole=test.table.whole)
            for (item, name), test in self.lines.items()
            if (item, name) not in named
        ]
        return sorted(
            [*self._all, *lines], key=lambda c: order.index((c.item, c.id)) if (c.item, c.id) in order else len(order)
        )

    def claim(
        self, name: str, item: str = "", text: str = "", nulls: Nulls | None = None, *, whole: bool = False
    ) -> Callable[[Predicate], Predicate]:
        """Decorator: registers a predicate as a claim about an item. Item and statement are those of the file unless given.

        `nulls` puts the claim to null models of the paper's own, in place of those of `nulls.py`. A claim that is `whole` says something
        of all starts together, such as how often something happens; where an item is judged over starts all others are asked at each of
        them.

        Raises:
            PaperError: nothing says what the claim states.
        """
        places = [item] if item else [i for i, n in self._known if n == name]
        if not text and (len(places) != 1 or (places[0], name) not in self._known):
            raise wrong(self._file, "", f"expected the statement of claim {name}, under the name of one item")
        item = places[0] if places else item
        text = text or self._known[item, name]

        def register(test: Predicate) -> Predicate:
            lines = self.lines.get((item, name))
            self._all.append(Claim(name, item, text, test, nulls, whole or (lines is not None and lines.table.whole)))
            return test

        return register

    def measure(self, name: str) -> Callable[[M], M]:
        """Decorator: a metric of the paper's own code, for claims in lines: a function of the runs, a variant, and sources if any."""

        def register(measure: M) -> M:
            self.measures[name] = measure
            return measure

        return register


def claims_of(paper: Paper) -> list[Claim]:
    """The claims in a paper's folder, in their order; none where there is neither `claims.py` nor `claims.toml`.

    Raises:
        PaperError: the file has no list of claims, or a claim is about no item.
    """
    folder = folder_of(paper)
    file, claims = folder.origin("claims.py"), object()
    if folder.has("claims.py") or folder.has("claims/__init__.py"):
        claims = getattr(folder.module("claims"), "CLAIMS", None)
    elif folder.has("claims.toml"):
        file, claims = folder.origin("claims.toml"), Claims(str(folder.root.joinpath("claims.py")))
    else:
        return []
    if not isinstance(claims, Claims):
        raise wrong(file, "", "expected `CLAIMS = Claims()`, with Claims from headgate.papers.claims")
    for claim in claims.all:
        one_of(file, f"claim {claim.id}", claim.item, [i.name for i in paper.items], "item")
    for (item, _), lines in claims.lines.items():
        lines.check(paper.metrics, [v.name for v in paper.item(item).variants])
    return claims.all


def spread(values: Floats) -> float:
    """Largest over smallest; infinite when the smallest is not above zero."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return high / low if low > 0 else math.inf


def listed(values: Floats, digits: int = 2) -> str:
    """Numbers in a row, for the text of a measured value."""
    # Adding 0 makes -0.0 a plain 0.
    return ", ".join(
        "none" if math.isnan(v) else f"{round(float(v), digits) + 0.0:.{digits}f}" for v in np.ravel(values)
    )


def ends(values: Floats, digits: int = 2) -> str:
    """Lowest and highest value over the runs."""
    return f"{np.nanmin(values):.{digits}f} to {np.nanmax(values):.{digits}f}"
