"""headgate train: a flow control that learns."""

from __future__ import annotations

from pathlib import Path

import click

from ..base.errors import HeadgateError, cut
from . import signals
from .numbers import Number
from .show import print_json


@click.command(
    epilog="""The scenarios are a line of one bottleneck; --range changes what is drawn for each episode: rate, rtt, buffer, queue,
competitors, control (theirs), loss, duration. A value is one amount, a list with commas between, or a range.

\b
Examples:
  headgate train --out learned.py
  headgate train --out learned.py --range 'rate=1Mbit/s ... 5Mbit/s log' \\
    --range queue=fcfs,fq --generations 30
  headgate train --out calm.py --name calm --delay 2"""
)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="Where the flow control is written."
)
@click.option("--name", default="learned", show_default=True, help="Its name in scenarios.")
@click.option(
    "--seconds",
    type=Number(0, min_open=True),
    default=60,
    show_default=True,
    help="Real time to learn for.",
)
@click.option(
    "--generations",
    type=click.IntRange(1),
    help="Number of generations to learn for, in place of a time: the result is then the same everywhere.",
)
@click.option(
    "--range", "ranges", multiple=True, metavar="NAME=VALUES", help="What is drawn; may be given several times."
)
@click.option("--delay", type=Number(0), metavar="WEIGHT", help="Weight of delay in the reward; 0.5 unless given.")
@click.option("--loss", type=Number(0), metavar="WEIGHT", help="Weight of losses in the reward; 10 unless given.")
@click.option("--processes", type=click.IntRange(1), help="Number of processes; one per processor unless given.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Of all random numbers.")
@click.option(
    "--episodes",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Scenarios on which it is measured then, against aimd and cubic; 0 for none.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the measurements as JSON.")
def train(
    out: Path,
    name: str,
    seconds: float,
    generations: int | None,
    ranges: tuple[str, ...],
    delay: float | None,
    loss: float | None,
    processes: int | None,
    seed: int,
    episodes: int,
    as_json: bool,
) -> int:
    """Learn a flow control, write it into a file in Python, and measure it on scenarios that it has not seen.

    The example policy is linear, and learns by the cross-entropy method; other methods learn in the environment of headgate.training.
    """
    with signals.loading():
        from ..base.atomic import require_place
        from ..plugins import load
        from ..scenario.baselines import baselines
        from ..training.learning import learn
        from ..training.measuring import measure
        from ..training.policy import require_name
        from .tables.training import print_measured
        from .terminal import console, progress

    # All that can be wrong is found before a minute is spent on learning.
    if out.suffix != ".py":
        raise HeadgateError(f"--out: found {cut(repr(str(out)))}; expected a file in Python, such as learned.py")
    require_place(out)
    require_name(name)
    drawn = dict(_range(text) for text in ranges)
    reward = {key: value for key, value in (("delay", delay), ("loss", loss)) if value is not None}
    with progress("train") as shown:
        policy = learn(
            drawn,
            seconds=seconds,
            generations=generations,
            processes=processes,
            seed=seed,
            reward=reward,
            progress=None
            if shown is None
            else lambda p: shown(
                min(p.generation / generations if generations else p.seconds / seconds, 1.0),
                p.generation,
                generations or p.generation,
            ),
        )
    policy.write_plugin(out, name)
    plugins = load(out)
    rows = []
    if episodes:
        with progress("measuring") as shown:
            rows = measure(
                [*baselines("train")["control"], name],
                drawn,
                plugins=plugins,
                episodes=episodes,
                reward=reward,
                progress=shown,
            )
    if as_json:
        print_json({"file": str(out), "about": policy.about, "measured": [vars(row) for row in rows]})
    else:
        print_measured(policy, rows, out, name, console())
    return 0


def _range(text: str) -> tuple[str, object]:
    """The name and the values of a --range."""
    from ..scenario.subjects import several

    name, found, values = text.partition("=")
    if not found:
        raise HeadgateError(f"--range: found {cut(repr(text))}; expected NAME=VALUES, such as rate=10Mbit/s")
    subjects = name.strip() in ("control", "queue")
    listed = several(values, f"--range {name.strip()}") if subjects else values.split(",")
    parts = [part if subjects else _value(part.strip()) for part in listed]
    if not parts:
        raise HeadgateError(f"--range: found {cut(repr(text))}; expected NAME=VALUES, such as rate=10Mbit/s")
    return name.strip(), parts[0] if len(parts) == 1 else parts


def _value(text: str) -> object:
    """A number, or the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
