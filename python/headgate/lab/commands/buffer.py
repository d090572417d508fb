"""headgate buffer: the smallest buffer with which a link stays busy."""

from __future__ import annotations

from ...base.counts import counted
from ...cli import completing, shared, signals
from ...cli.command import Command, argument, line_of, option
from ...cli.printed import ReportJson, RunsJson, Shape, key
from ...scenario.baselines import PLAIN, baselines


class BufferSizeJson(Shape):
    """A buffer. What is measured is a mean over the seeds, and half of its 95 % interval, which is null of one seed."""

    packets: int = key("Its size.", "packets")
    bdps: float = key("The same in bandwidth-delay products.")
    utilisation: list[float | None] = key("Utilisation of the link.")
    wait_s: list[float | None] = key("Mean wait of a packet.", "s")
    loss: list[float | None] = key("Share of the packets that are lost.")


class BufferRuleJson(Shape):
    """A rule of the literature."""

    name: str = key("Its name.")
    source: str = key("Where it stands.")
    verdict: str = key("`enough`, `more than needed`, `too little`, or `not decided` by the interval.")
    buffer: BufferSizeJson = key("The buffer that it asks for.")


class LinkBufferJson(ReportJson):
    """What was found of the link."""

    rate_bps: float = key("Its rate.", "bit/s")
    rtt_s: float = key("Its round trip without queues.", "s")
    flows: int = key("Number of flows.")
    control: str = key("Their flow control.")
    queue: str = key("The queueing discipline.")
    busy: float = key("Utilisation from which on the link is busy.")
    bdp_packets: float = key("Bandwidth-delay product.", "packets")
    duration_s: float = key("Length of a run.", "s")
    smallest: BufferSizeJson | None = key("The smallest buffer with which it is busy; null if none was found.")
    rules: list[BufferRuleJson] = key("The rules.")
    buffers: list[BufferSizeJson] = key("All buffers that were tried, by size.")
    runs: int = key("How many runs that took.")


class BufferCommand(Command):
    """Find the smallest buffer with which a link of RATE and RTT stays busy.

    It also prints what a packet waits and loses there. Beside it stand one bandwidth-delay product (Villamizar and Song 1994), and that
    over the root of the number of flows (Appenzeller, Keslassy and McKeown 2004). Exit code 1 if no buffer is enough.
    """

    group = "Judge a control or a queue"
    page = "how-to/buffer"
    question = "which buffer does a link need?"
    examples = """\
headgate buffer 10Mbit/s 40ms
headgate buffer 50Mbit/s 40ms --flows 16
headgate buffer 20Mbit/s 30ms --control cubic --queue codel --json
"""
    prints = {"": LinkBufferJson, "With `--part`": RunsJson}

    rate: str = argument()
    rtt: str = argument()
    flows: int = option("Flows that share the link, and send all the time.", 1, least=1, most=1000)
    control: str = option("Their flow control.", baselines("buffer")["control"][0], complete=completing.controls)
    queue: str = option("Queueing discipline of the link.", PLAIN, metavar="NAME")
    busy: float = option("Utilisation from which on the link counts as busy.", 0.98)
    seeds: int = option("Runs of each buffer.", 3, least=1, most=20)
    out: str | None = shared.kept_in()
    resume: bool = shared.resume_there()
    html: str | None = shared.html()
    workers: int | None = shared.workers()
    engine: str = shared.engine()
    address: str | None = shared.address()
    part: str | None = shared.part()
    as_json: bool = shared.as_json("everything")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ...quick.amounts import quantity, read
            from ..buffers import buffer
            from ..buffers.report import answer
            from ..frame import page
            from ..frame.judging import judging
            from ..frame.subjects import named
            from ..frame.terminal import print_report

        rate, rtt = read("RATE", self.rate, "bps"), read("RTT", self.rtt, "s")
        control, queue = named(self.control, "control", place="--control"), named(self.queue, "aqm", place="--queue")
        subject = f"{rate}, {rtt}, {queue.text}, {counted(self.flows, 'flow')} of {control.text}"
        index = page.asked(self.html, self.out if self.part is None else None, "buffer", subject)
        with judging(self, "measuring", self.out) as where:
            found = buffer(
                quantity("RATE", rate, "bps"), quantity("RTT", rtt, "s") / 1e12, control, queue, self.flows, self.busy, self.seeds, **where,
            )  # fmt: skip
        said = answer(found, subject, index is not None)
        if index is not None:
            page.write(said, index)
        everything = line_of(self, "buffer", html="buffer.html", as_json=False)
        return print_report(said, index, everything, found if self.as_json else None)
