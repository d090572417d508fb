"""headgate quick: a common question without a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...base.errors import HeadgateError
from .. import linking, shared, signals
from ..command import Command, argument, gathered, option
from ..printed import Shape, key
from ..quick_runs import OneRun, ShaperRuns, answered, given_of, require_one_question, scenarios_of, sweeps_shaper
from ..run_shapes import RunJson
from ..scenario_files import plugin_files
from ..show import output, print_json

if TYPE_CHECKING:
    from ...quick.line import TypedLine


class _AsTyped(click.Command):
    """Options under the names of other tools, and units that stand apart from their numbers."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes the words as they were typed."""
        if args in (["--help"], ["-h"]) or (ctx.resilient_parsing and not self._of_others(args)):
            # Neither help nor completion needs the words of other tools, which take half of their time to load.
            return super().parse_args(ctx, args)
        from ...quick.foreign import options_of

        return super().parse_args(ctx, options_of(args))

    def _of_others(self, args: list[str]) -> bool:
        """Whether there is an option that is not one of its own."""
        own = {name for parameter in self.params for name in parameter.opts + parameter.secondary_opts}
        return any(word.startswith("-") and word.partition("=")[0] not in own for word in args)


class QuickJson(RunJson):
    """The results, as of `headgate run`."""

    read_as: list[str] = key("Sentences on how the line was read, where that is not as it was typed.", always=False)


class SeveralJson(Shape):
    """A run for each value."""

    option: str = key("The option with several values.")
    runs: list[ValueJson] = key("The runs.")
    cautions: list[str] = key("Sentences about what a run by itself does not settle.")
    warnings: list[str] = key("Sentences about parameters without effect.")
    read_as: list[str] = key("Sentences on how the line was read.")


class ValueJson(RunJson):
    """A run: what `headgate run --json` prints, and the value."""

    value: str = key("The value of the option.")
    # What they say is said of all runs together.
    warnings: list[str] = key("Not there: they are beside `runs`.", always=False)


class ShaperSweepJson(Shape):
    """Whether a shaper would help."""

    watched: str = key("The flow whose round trips are compared: the one that waits longest of those that send little.")
    fillers: str = key("The flows with endless data in the shaped direction.")
    path_rtt_s: float = key("Round trip of the path of the watched flow.", "s")
    directions: list[str] = key("Which directions are shaped.")
    queue: str = key("Queue of the shaper.")
    points: list[ShaperPointJson] = key("The runs: first that without a shaper, then from the slowest to the fastest.")
    advised: str | None = key("The rate that helps; null if none does.")
    sentences: list[str] = key("Texts for people.")
    read_as: list[str] = key("As above.", always=False)


class ShaperPointJson(Shape):
    """A rate."""

    shaper: str | None = key("The rate; null without a shaper.")
    share: float | None = key("The rate over that of the line; null without a shaper.")
    rtt_s: float = key("Mean round trip of the watched flow.", "s")
    rtt_p95_s: float = key("Below which 95 % of them are.", "s")
    goodput_bps: float = key("Goodput of the fillers together.", "bit/s")
    cost: float | None = key("Part of their goodput that the shaper costs.")


class PresetJson(Shape):
    """A sort of path."""

    rest = "Its values, by the names of the options."

    name: str = key("Its name.")
    description: str = key("What it is.")


class QuickCommand(Command):
    """Simulate flows over one link between two gateways, without a file.

    The tables of `headgate run` come first, and then a summary in sentences: the share of each flow, and the waiting times of its packets.
    """

    group = "Simulate"
    page = "how-to/quick"
    question = "what does each of a few flows get on one link?"
    notes = """Words may stand in any order: rates, times, losses, buffers, queues and flows are known by their units and names, as in
headgate quick 50/10 20ms cake download game. The output says how a line was read that is not as the options have it.

An option may have several values, as in --queue fifo,fq_codel,cake, --buffer 0.5,1,2bdp or --seed 1..5: each is a run by itself, and a
table has them all.

A flow is NAME[:KEY=VALUE,...], and NAME*COUNT stands for COUNT flows. NAME is a flow control (headgate list
controls), with endless data, a workload (headgate list workloads), or a short name such as bulk, web, video, call, game
or bbr (headgate list short-names). A workload with a rate, such as cbr, is sent as it comes; others have the first modern
flow control of the list, or cubic where there is none. NAME may be a file (mine.py,
libmine.so), module:Class, a table, or a program too. KEY is a parameter of NAME, or rtt, name, or a key of flows such
as packet, weight, start or control.window. The main parameter needs no key: cbr:64kbit/s, transfer:100KB. Commas separate
both flows and parameters; quote the list, because the shell expands asterisks."""
    reader = _AsTyped
    examples = """\
headgate quick --preset home --flows bulk,game,call
headgate quick --preset home --flows bulk,game,call --queue fq
headgate quick --rate 20Mbit/s --rtt 30ms --flows 'cubic*2,cbr:64kbit/s'
headgate quick --rate 50Mbit/s --up 5Mbit/s --rtt 20ms --flows web,video \\
  --up-flows bulk
headgate quick --rate 20Mbit/s --rtt 30ms --flows cubic,bbr --loss 1% \\
  --figure shares.png
headgate quick --rate 10Mbit/s --rtt 20ms --flows cubic,cubic:rtt=200ms \\
  --buffer 1.5BDP
headgate quick --rate 2Mbit/s --rtt 50ms --queue red:gentle=true \\
  --flows 'jk_tahoe*4:window=20,packet=500B,telnet:1s'
headgate quick --rate 20Mbit/s --rtt 30ms --flows reno --print > reno.toml
headgate quick home bulk game --link
"""
    prints = {
        "": QuickJson,
        "Where an option has several values": SeveralJson,
        "With `--shaper sweep`": ShaperSweepJson,
        "With `--presets`": list[PresetJson],
        "With `--link`": linking.LinkJson,
        "With `--link`, where an option has several values": list[linking.LinkJson],
    }

    words: tuple[str, ...] = argument(metavar="[PRESET | RATE RTT] [FLOW]...")
    sort: str | None = option(
        "Values of a known sort of path, see --presets; options change them.", None, "--preset", metavar="NAME"
    )
    list_presets: bool = option("List the sorts of paths with their values.", False, "--presets")
    #: What a line says, by its options or in words.
    line: dict[str, Any] = gathered(
        rate=option("Rate of the link, such as 20Mbit/s. The links of hosts are ten times as fast."),
        up=option(
            "Rate in the other direction, in which acknowledgements return; as --rate unless given.", metavar="RATE"
        ),
        rtt=option("Round-trip time without queueing and transmission, such as 30ms.", metavar="TIME"),
        flows=option("Flows by their names, see below.", metavar="LIST", multiple=True),
        up_flows=option("Flows in the other direction, such as uploads.", metavar="LIST", multiple=True),
        loss=option("Packets and acknowledgements that the link loses, such as 1% or 0.01.", metavar="SHARE"),
        jitter=option(
            "Packets of the data take up to so much less or more than the usual delay, at random, and keep their order.",
            metavar="TIME",
        ),
        queue=option("Discipline of the link; fcfs unless given.", metavar="NAME[:KEY=VALUE,...]"),
        up_queue=option(
            "Discipline in the other direction; that of --queue, without a rate of its own, unless given.",
            metavar="NAME[:KEY=VALUE,...]",
        ),
        shaper=option(
            "A router before the modem that holds packets to a rate, such as 19Mbit/s, 45/9 (down and up) or 95%, with cake "
            "or another queue; sweep tries rates and says which of them helps.",
            metavar="RATE[:QUEUE]",
        ),
        buffer=option("Buffer of the link, such as 100pkt, 64KB, 50ms or 1.5BDP; 1BDP unless given.", metavar="SIZE"),
        transport=option(
            "same: flow controls beside each other have one transport, Linux's, so that they alone differ (unless given); own: each has "
            "its own; or a preset for all, such as rfc.",
            metavar="NAME",
        ),
        duration=option(
            "Simulated time; 1000 round trips, and at least 10s, or 70s with web or video, unless given.",
            metavar="TIME",
        ),
        seed=option("Seed of all random streams, or several as 1..5; 1 unless given.", metavar="N"),
        noise=option(
            "Host noise: each packet leaves its host later by 0 to N packet times of the slowest link; 1 unless given, 0 for none.",
            metavar="N",
        ),
        phase=option(
            "Repeat the run with other host noise where the phase of arrivals could decide the shares. On unless given.",
            True,
            "--phase/--no-phase",
        ),
        replications=option("Number of independent runs; 1 unless given.", type=click.IntRange(1, 100_000)),
    )
    figure: Path | None = option(
        "Draw goodput and queueing delay of each flow over time (.png, .svg, .pdf).", metavar="FILE"
    )
    plugin: tuple[str, ...] = plugin_files()
    top: int | None = shared.top()
    wide: bool = shared.wide()
    as_file: bool = option("Print the scenario file instead of running it.", False, "--print")
    as_link: bool = linking.as_link()
    site: str | None = linking.site()
    as_json: bool = shared.as_json("the results")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> None:
        with signals.loading():
            from ...quick import PRESETS, read_line

        if self.list_presets:
            if self.as_json:
                print_json([{"name": p.name, **p.values, "description": p.what} for p in PRESETS.values()])
                return
            with signals.loading():
                from ..tables.lists import print_presets

            print_presets(list(PRESETS.values()))
            return
        options = dict(self.line)
        flows, up_flows, phase = (options.pop(name) for name in ("flows", "up_flows", "phase"))
        line = read_line(self.words, {"preset": self.sort, **options}, flows, up_flows)
        if self.as_link:
            require_one_question(line, self.figure)
            _print_links(line, self.site, self.as_json)
            return
        if self.as_file:
            require_one_question(line, self.figure)
            _print_files(line)
            return
        with signals.loading():
            from ..terminal import console, progress, warn_all
        if self.figure is not None and not line.axis:
            from ...plots.canvas import require

            require(self.figure)
        found = answered(line, phase, progress, self.figure)
        if not isinstance(found, ShaperRuns):
            warn_all(found.warnings)
        if self.as_json:
            print_json(found.to_dict())
        elif isinstance(found, OneRun):
            found.print(self.top, self.wide)
            if self.figure is not None:
                console().print(f"figure: {self.figure}", markup=False, soft_wrap=True)
        else:
            found.print()


def _print_files(line: TypedLine) -> None:
    """The scenario file of a line, or one for each value of the option that has several."""
    from ...base.toml import file_text

    if sweeps_shaper(line):
        raise HeadgateError("--print: found --shaper sweep; expected one rate, since a file is one scenario")
    made = scenarios_of(line)
    with output():
        for number, scenario in enumerate(made, 1):
            scenario.resolve()
            heads = list(line.sentences())
            if line.axis:
                option = f"--{line.axis.replace('_', '-')} {line.values[number - 1]}"
                heads.append(f"{number} of {len(made)}, each a file by itself: {option}")
            text = "".join(f"# {sentence}\n" for sentence in heads) + file_text(scenario.data)
            click.echo(text, nl=bool(line.axis))


def _print_links(line: TypedLine, site: str | None, as_json: bool) -> None:
    """The link of a line, or one for each value of the option that has several."""
    for one in line.each():
        linking.require_one(given_of(one)[1])
        if sweeps_shaper(one):
            raise HeadgateError("--link: found --shaper sweep; expected one rate, since a link holds one scenario")
    found = dict(zip(line.values if line.axis else [""], scenarios_of(line), strict=True))
    linking.print_links(found, site, as_json, bool(line.axis))
