"""headgate quick: a common question without a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from ...base.errors import HeadgateError, cut
from .. import linking, shared, signals
from ..command import Command, argument, gathered, option
from ..printed import Shape, key
from ..run_shapes import RunJson
from ..scenario_files import plugin_files
from ..show import output, print_json


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
            from ...base.toml import file_text
            from ...quick import PRESETS, finely, notes, read_line, shaper_said
            from ...quick import scenario as of

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
        given, replications = _given(line)
        said = line.sentences()
        if self.as_link:
            _links(line, replications, self.site, self.as_json)
            return
        if line.axis:
            _several(line, said, phase, self.figure, self.as_file, self.as_json)
            return
        if str(given.get("shaper", "")).partition(":")[0].strip() == "sweep":
            _sweep(line, given, said, self.as_file, self.as_json)
            return
        scenario = of(flows=line.flows, up_flows=line.up_flows, **given)
        if self.as_file:
            scenario.resolve()
            with output():
                click.echo("".join(f"# {sentence}\n" for sentence in said) + file_text(scenario.data), nl=False)
            return
        with signals.loading():
            from ..terminal import console, progress, warn_all
        if self.figure is not None:
            from ...plots.canvas import require

            require(self.figure)

        with progress("running") as callback:
            results = scenario.run(None, replications, None, callback)
        # What tables need is loaded while it runs.
        with signals.loading():
            from ...checks.phase import check as phase_check
            from ...checks.phase import in_step
            from ...results.sentences import sentences
            from ...scenario.effects import warnings
            from ..tables.phase import print_phase
            from ..tables.run import print_results
        if self.figure is not None:
            from ...plots import shares

            shares(finely(scenario).run(), self.figure)
        found = None
        if phase and in_step(scenario):
            with progress("with other host noise") as callback:
                found = phase_check(scenario, results, progress=callback)
        shaped, above = shaper_said(line.flows, line.up_flows, **given)
        messages = [*warnings(results.scenario), *above]
        warn_all(messages)
        if self.as_json:
            more = {"warnings": messages} | ({"read_as": said} if said else {})
            print_json(results.to_dict() | more | ({} if found is None else {"phase": found.to_dict()}))
            return
        out = console()
        for sentence in said:
            out.print(sentence, markup=False, soft_wrap=True)
        if said:
            out.print()
        print_results(results, self.top, self.wide)
        if found is not None:
            print_phase(found)
        out.print()
        for note in [*shaped, *notes(given["rtt"], line.flows, line.up_flows, given.get("transport", "same"))]:
            out.print(note, markup=False)
        for sentence in sentences(results):
            out.print(sentence, markup=False)
        if self.figure is not None:
            out.print(f"figure: {self.figure}", markup=False, soft_wrap=True)


def _given(line: Any) -> tuple[dict[str, Any], int]:
    """The arguments of a scenario, and the number of runs."""
    from ...quick import preset

    given = dict(line.options)
    replications = int(given.pop("replications", None) or 1)
    seed = str(given.get("seed", 1)).strip()
    if not re.fullmatch(r"\d{1,20}", seed) or int(seed) >= 2**64:
        raise HeadgateError(
            f"--seed: found {cut(repr(seed))}; expected a whole number from 0 to 2^64-1, or several as 1..5"
        )
    if "seed" in given:
        given["seed"] = int(seed)
    sort = given.pop("preset", None)
    return ({} if sort is None else preset(sort)) | given, replications


def _links(line: Any, replications: int, site: str | None, as_json: bool) -> None:
    """The link of the line, or one for each value of an option."""
    from ...quick import scenario as of

    linking.require_one(replications)
    found = {}
    for value, one in zip(line.values, line.each(), strict=True) if line.axis else [("", line)]:
        given, _ = _given(one)
        if str(given.get("shaper", "")).partition(":")[0].strip() == "sweep":
            raise HeadgateError("--link: found --shaper sweep; expected one rate, since a link holds one scenario")
        found[value] = of(flows=one.flows, up_flows=one.up_flows, **given)
    linking.print_links(found, site, as_json, bool(line.axis))


def _several(line: Any, said: list[str], phase: bool, figure: Path | None, as_file: bool, as_json: bool) -> None:
    """A run for each value of an option, and a table of them."""
    with signals.loading():
        from ...base.toml import file_text
        from ...checks.phase import check, in_step
        from ...quick import notes
        from ...quick import scenario as of
        from ...results.sentences import unsettled
        from ...scenario.effects import warnings_of_all
        from ..tables.several import print_several
        from ..terminal import console, progress, warn_all

    option = f"--{line.axis.replace('_', '-')}"
    other = "--figure" if figure is not None else ""
    if other or any(value.startswith("sweep") for value in line.values if line.axis == "shaper"):
        one = next(value for value in line.values if not value.startswith("sweep"))
        raise HeadgateError(f"{other or '--shaper'}: found several values of {option}; expected one, as {option} {one}")
    made, given = [], dict[str, Any]()
    for one in line.each():
        given, replications = _given(one)
        made.append(of(flows=line.flows, up_flows=line.up_flows, **given))
    if as_file:
        with output():
            for number, (scenario, value) in enumerate(zip(made, line.values, strict=True), 1):
                scenario.resolve()
                heads = [*said, f"{number} of {len(made)}, each a file by itself: {option} {value}"]
                click.echo("".join(f"# {sentence}\n" for sentence in heads) + file_text(scenario.data))
        return
    results, cautions = [], list[str]()
    for scenario, value in zip(made, line.values, strict=True):
        with progress(f"running {option} {value}") as callback:
            results.append(scenario.run(None, replications, None, callback))
        own = list(unsettled(results[-1]))
        if phase and in_step(scenario):
            with progress("with other host noise") as callback:
                found = check(scenario, results[-1], progress=callback)
            own += [found.sentence()] if found.depends else []
        cautions += [f"{option} {value}: {sentence}" for sentence in own]
    messages = warnings_of_all(one.scenario for one in results)
    warn_all(messages)
    if as_json:
        runs = [{"value": value, **one.to_dict()} for value, one in zip(line.values, results, strict=True)]
        print_json({"option": option, "runs": runs, "cautions": cautions, "warnings": messages, "read_as": said})
        return
    out = console()
    for sentence in said:
        out.print(sentence, markup=False, soft_wrap=True)
    if said:
        out.print()
    print_several(option, line.values, results)
    out.print()
    for note in [*notes(given["rtt"], line.flows, line.up_flows, given.get("transport", "same")), *cautions]:
        out.print(note, markup=False)
    out.print("Each row is a run by itself. One of them with all that it has:")
    out.print(line.each()[-1].command(), markup=False, soft_wrap=True)


def _sweep(line: Any, given: dict[str, Any], said: list[str], as_file: bool, as_json: bool) -> None:
    """The answer to whether a shaper would help: a table of rates, and sentences."""
    with signals.loading():
        from ...quick import notes, shaper_sweep
        from ..tables.shaper import print_sweep
        from ..terminal import console, progress

    if as_file:
        raise HeadgateError("--print: found --shaper sweep; expected one rate, since a file is one scenario")
    with progress("trying rates") as callback:
        found = shaper_sweep(line.flows, line.up_flows, progress=callback, **given)
    if as_json:
        print_json(found.to_dict() | ({"read_as": said} if said else {}))
        return
    out = console()
    for sentence in said:
        out.print(sentence, markup=False, soft_wrap=True)
    print_sweep(found)
    out.print()
    for sentence in [
        *notes(given["rtt"], line.flows, line.up_flows, given.get("transport", "same")),
        *found.sentences(),
    ]:
        out.print(sentence, markup=False)
