"""Makes a paper of the files in its folder, and checks that they fit each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from ..plugins import trust
from ..results.columns import columns, numeric
from ..results.metrics import BY_NAME, METRICS, SECONDS, Ratio
from .checks import checked, one_of, wrong
from .contents import FiguresForm, PaperForm, RulesForm
from .folder import Folder, find, is_own
from .heads import head
from .model import FigureEntry, Item, Measure, Paper, Rule
from .numbers import read_numbers
from .options import OPTIONS
from .unknowns import read_unknowns
from .variants import Reader

#: What holds where a folder has no `tolerances.toml`.
AS_PRINTED = Rule("as printed", "value", "to the printed digits; the paper's folder gives no tolerances")


def load_paper(name: str, *, look: bool = False) -> Paper:
    """Reads a paper of the package by its name, or a folder of the user's own by its path, such as `./mypaper`.

    The files in Python of such a folder may run from then on, since whoever names it here means them, unless one only has a `look`.

    Raises:
        PaperError: no such paper, or something in its folder is wrong; the text names the file and the place.
        CodeError: its files in Python would have to run for a look, and were not allowed to.
    """
    if not is_own(name):
        return _known(name)
    folder = find(name)
    if not look:
        trust.allow(folder.codes())
    return _load(folder)


@cache
def _known(name: str) -> Paper:
    return _load(find(name))


def _load(folder: Folder) -> Paper:
    title = folder.origin("paper.toml")
    form = head(folder)
    metrics = {name: metric_of(title, name, metric) for name, metric in form.metrics.items()}
    _unique(title, "items", [i.name for i in form.items])
    reader = Reader(folder, form)
    items = tuple(_item(folder, reader, form, i) for i in range(len(form.items)))
    rules = _rules(folder, items, form)
    return Paper(
        name=folder.name,
        title=form.title,
        authors=form.authors,
        reference=form.reference,
        notes=folder.text("notes.md") if folder.has("notes.md") else "",
        items=items,
        metrics=metrics,
        rules=rules,
        figures=_figures(folder, items),
        place=folder.place,
        ours=form.ours,
        unknowns=read_unknowns(title, form.unknowns),
    )


def _item(folder: Folder, reader: Reader, paper: PaperForm, number: int) -> Item:
    form, place = paper.items[number], f"items[{number}]"
    variants = reader.variants(place, form)
    numbers = [
        n
        for i, table in enumerate(form.tables)
        for n in read_numbers(folder, table, f"{place}.tables[{i}]", paper, variants, form.missing)
    ]
    for n in numbers:
        if paper.metrics[n.metric].study and not form.study:
            raise wrong(reader.file, place, f"expected the key `study`, since a study measures {n.metric} in {n.table}")
    for kind in form.traced:
        one_of(reader.file, f"{place}.traced", kind, form.traces, "trace of the item")
    base = form.base or paper.base
    if base == "start" and not (paper.seeds if form.seeds is None else form.seeds):
        raise wrong(reader.file, place, "expected `seeds` above 0 where the base run is the first of them")
    return Item(
        name=form.name,
        title=form.title,
        note=form.note,
        scenario=reader.scenario(place, form.scenario),
        variants=variants,
        missing=form.missing,
        numbers=tuple(numbers),
        phase=form.phase or paper.phase,
        traces=form.traces,
        axes=reader.lines(place, form),
        study=form.study,
        seeds=paper.seeds if form.seeds is None else form.seeds,
        starts=paper.starts if form.starts is None else form.starts,
        base=base,
        traced=form.traced,
        around=form.around,
        repeated=form.repeated,
    )


def metric_of(file: str, name: str, given: Measure) -> Measure:
    """A measure of a file, checked; one that names a metric of the list follows from the tables as that does.

    Raises:
        PaperError: it says so in no way or in several, or names a column or a metric that is not there.
    """
    check_metric(file, f"metrics.{name}", given)
    metric = BY_NAME.get(given.metric)
    if metric is None:
        return replace(given, name=name)
    if isinstance(metric.of, Ratio):
        ratio, factor = metric.of, metric.of.factor
        made = replace(given, name=name, metric="", counts=ratio.top, to=ratio.bottom)
        # A time and an exponent have no factor.
        low, high = (None if bound is None else bound / factor for bound in (given.at_least, given.at_most))
        if low is not None or high is not None:
            return replace(made, at_least=low, at_most=high)
        return made if given.fit == "exponent" else replace(made, scale=given.scale * factor)
    column = columns("flows")[metric.column or ""]
    # Several flows are taken together as everywhere, unless the file says how.
    over: Any = given.over if given.over != Measure.over else "packets" if column.per else column.kind
    return replace(given, name=name, metric="", column=column.name, over=over)


#: The metrics of the list that a measure can name: those that are a column of flows, or a ratio of sums of these.
NAMED = tuple(
    m.name
    for m in METRICS
    if m.table == "flows" and m.over != "jain" and not m.ideal and (m.column or isinstance(m.of, Ratio))
)


def check_metric(file: str, place: str, metric: Measure) -> None:
    """Whether a measure says in one way how it follows from the tables of a run.

    Raises:
        PaperError: it says so in none or in several, or names a column that is not there.
    """
    ways = (metric.counts, metric.mean, metric.column, metric.metric, metric.trace, metric.study)
    if sum(bool(way) for way in ways) != 1:
        raise wrong(file, place, "expected one of the keys counts, mean, column, metric, trace and study")
    if metric.trivial is not None and not metric.study:
        raise wrong(file, f"{place}.trivial", "expected no such key but beside study = true", metric.trivial)
    if metric.to and (not metric.counts or metric.per_second):
        raise wrong(file, f"{place}.to", "expected counts beside it, and no per_second")
    if metric.metric:
        one_of(file, f"{place}.metric", metric.metric, NAMED, "metric of flows")
    of = BY_NAME[metric.metric].of if metric.metric else None
    ratio = isinstance(of, Ratio) or bool(metric.to)
    for key in ("per_second", "table") if metric.metric else ():
        if getattr(metric, key) != getattr(Measure, key):
            raise wrong(file, f"{place}.{key}", f"expected no such key beside metric, which says it: {metric.metric}")
    for key in ("over", "per") if ratio else ():
        if getattr(metric, key) != getattr(Measure, key):
            raise wrong(file, f"{place}.{key}", "expected no such key with a ratio of sums over the flows")
    asked = [k for k in ("at_least", "at_most") if getattr(metric, k) is not None] + ["fit"] * bool(metric.fit)
    if len(asked) > 1 or (metric.trace and not asked):
        raise wrong(file, place, "expected one of the keys at_least, at_most and fit", ", ".join(asked) or None)
    if asked and not (metric.counts or metric.mean or metric.trace or isinstance(of, Ratio)):
        raise wrong(file, f"{place}.{asked[0]}", "expected one of the keys counts, mean and trace beside it")
    if metric.column:
        one_of(file, f"{place}.column", metric.column, numeric(metric.table), f"column of the table of {metric.table}")
        if metric.over == "packets" and not columns(metric.table)[metric.column].per:
            raise wrong(
                file, f"{place}.over", "expected packets with a mean over packets, such as rtt_mean_s", metric.column
            )
    if metric.per:
        one_of(file, f"{place}.per", metric.per, numeric(metric.table), f"column of the table of {metric.table}")
    if metric.mean:
        one_of(file, f"{place}.mean", metric.mean, numeric("intervals"), "column of the table of intervals")
    # Sums over the whole run are those of the table of flows.
    table = "flows" if ratio and not asked else "intervals"
    names = {"metric": of.columns} if isinstance(of, Ratio) else {"counts": metric.counts, "to": metric.to}
    for key, given in names.items():
        for i, name in enumerate(given):
            at = f"{place}.{key}[{i}]" if metric.counts else f"{place}.{key}"
            known = (*numeric(table), *((SECONDS,) if key == "to" else ()))
            one_of(file, at, name.removeprefix("-"), known, f"column of the table of {table}")


def _unique(file: str, place: str, names: Sequence[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise wrong(file, f"{place}[{i}].name", "expected a name that no other has", name)


def _rules(folder: Folder, items: Sequence[Item], paper: PaperForm) -> tuple[Rule, ...]:
    """The tolerances; every number has one, and each could fit some number."""
    if not folder.has("tolerances.toml"):
        return (AS_PRINTED,)
    file = folder.origin("tolerances.toml")
    rules = checked(RulesForm, folder.toml("tolerances.toml"), file).rules
    known = {
        "item": [i.name for i in items],
        "row": [n.row for i in items for n in i.numbers],
        "source": [n.source for i in items for n in i.numbers],
        "metric": list(paper.metrics),
    }
    for number, rule in enumerate(rules):
        for key, names in known.items():
            for pattern in getattr(rule, key).split("|"):
                if not any(fnmatchcase(name, pattern) for name in names):
                    expected = f"expected a pattern that fits some {key}"
                    raise wrong(file, f"rules[{number}].{key}", expected, pattern, dict.fromkeys(names))
    for item in items:
        for n in item.numbers:
            if not any(rule.fits(item.name, n) for rule in rules):
                where = f"{item.name}, {n.table}, {n.row}, {n.source}, {n.metric}"
                raise wrong(file, "rules", f"expected a rule that fits every number; none fits {where}")
    return rules


def _figures(folder: Folder, items: Sequence[Item]) -> tuple[FigureEntry, ...]:
    if not folder.has("figures.toml"):
        return ()
    file = folder.origin("figures.toml")
    tables = checked(FiguresForm, folder.toml("figures.toml"), file).figures
    figures = []
    for i, table in enumerate(tables):
        place = f"figures[{i}]"
        common = {k: v for k, v in table.items() if k not in OPTIONS.get(str(table.get("kind")), {})}
        figure = checked(FigureEntry, common, file, place)
        options = {k: v for k, v in table.items() if k not in common}
        for key, value in options.items():
            checked(OPTIONS[figure.kind][key], value, file, f"{place}.{key}")
        one_of(file, f"{place}.item", figure.item, [item.name for item in items], "item")
        variants = [v.name for item in items if item.name == figure.item for v in item.variants]
        for k, name in enumerate(figure.series):
            one_of(file, f"{place}.series[{k}]", name, variants, f"variant of {figure.item}")
        figures.append(replace(figure, options=options))
    _unique(file, "figures", [f.name for f in figures])
    return tuple(figures)
