"""headgate compare: which of several variants of a study is better, and is the difference significant?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..base.errors import HeadgateError, cut
from . import signals
from .numbers import Number
from .show import print_json

if TYPE_CHECKING:
    from ..sweep.axes import Axis


@click.command(
    epilog="""\b
Examples:
  headgate compare out/queues-and-rates --by queue --metric p99_delay \\
    --flow telnet
  headgate compare out/queues-and-rates --by queue --metric jain_of_max_min \\
    --against fcfs --pool"""
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--by", required=True, metavar="AXIS", help="Axis to compare the points of; also flow or link.")
@click.option(
    "--metric",
    required=True,
    help="Column of the tables, or a short name: goodput, p99_delay, rtt, jain_of_max_min, ...",
)
@click.option("--flow", metavar="PATTERN", help="Flows to use, such as telnet or `ftp*`; all unless given.")
@click.option("--link", metavar="PATTERN", help="Ports to use, for metrics of ports.")
@click.option(
    "--over",
    type=click.Choice(["total", "mean", "least", "most", "jain"]),
    help="How the values of several flows of a run are combined; by default rates and counts are summed and others averaged.",
)
@click.option("--against", metavar="VALUE", help="Point with which the others are compared; all pairs unless given.")
@click.option(
    "--where", "wheres", metavar="AXIS=VALUE", multiple=True, help="Use only these runs; a repeated axis adds values."
)
@click.option(
    "--pool", is_flag=True, help="Average over the other axes instead of comparing each of their combinations."
)
@click.option(
    "--alpha",
    type=Number(),
    default=0.05,
    show_default=True,
    help="Probability of a false finding.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "bh", "none"]),
    default="holm",
    show_default=True,
    help="Correction of p-values for many comparisons.",
)
@click.option("--wide", is_flag=True, help="Print all columns, even if lines are longer than the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def compare(
    folder: Path, wheres: tuple[str, ...], wide: bool, as_json: bool, by: str, metric: str, **options: Any
) -> None:
    """Compare the points of an axis of the study in DIR by a metric, replication by replication.

    Prints means with intervals, paired differences with intervals, and which differences are significant.
    """
    with signals.loading():
        from ..checks.phase import axis_warning
        from ..comparison import compare as compare_study
        from ..scenario.scenario import Scenario
        from ..sweep import open_study
        from .tables.compare import print_compared
        from .terminal import warn

    study = open_study(folder)
    found = compare_study(study.select(where_of(wheres)), by, metric, **options)
    warn(axis_warning(Scenario(study.manifest["scenario"]), [path for axis in study.axes for path in axis.paths]))
    warn(_of_controls(study.axes, by))
    if as_json:
        print_json(found.to_dict())
    else:
        print_compared(found, wide)


def _of_controls(axes: Sequence[Axis], by: str) -> str:
    """A sentence if the points that are compared are flow controls with different transports; empty otherwise."""
    with signals.loading():
        from ..quick.lists import transports_said

    axis = next((axis for axis in axes if axis.name == by or by in axis.paths), None)
    if axis is None or any(re.search(r"\b(transport|receiver)\b", path) for path in axis.paths):
        return ""
    paths = [path for path in axis.paths if re.search(r"\bcontrol(\.kind)?$", path)]
    if not paths:
        return ""
    try:
        return transports_said(list(dict.fromkeys(str(value) for value in axis.columns[axis.name])))
    except HeadgateError:
        # A label, and not the name of a flow control.
        return ""


def where_of(texts: Sequence[str]) -> dict[str, list[str]]:
    """The options `--where AXIS=VALUE` as lists of values by axis.

    >>> where_of(["queue=fq", "rate=40kbit/s", "queue=red"])
    {'queue': ['fq', 'red'], 'rate': ['40kbit/s']}

    Raises:
        HeadgateError: one is of another form.
    """
    where: dict[str, list[str]] = {}
    for text in texts:
        axis, sign, value = text.partition("=")
        if not sign:
            raise HeadgateError(f"--where {cut(text)}: expected AXIS=VALUE, such as queue=fq")
        where.setdefault(axis.strip(), []).append(value.strip())
    return where
