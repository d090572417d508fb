"""Which pages of the documentation have a live example beside those of the schemes, and where its scenario comes from: docs/live.py."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from live_examples import LISTS, Live

from headgate.base.catalogue import catalogue
from headgate.cli.quick_runs import scenarios_of
from headgate.quick import read_line
from headgate.scenario.examples import example
from headgate.scenario.links import fragment_of

DOCS = Path(__file__).parent


@dataclass(frozen=True)
class Page:
    """The live example of a page.

    Attributes:
        source: `toml` for the first TOML block of the page, `example NAME`, or a line of `headgate quick`.
        after: the block of the page that it stands behind: the first one with this text.
        controls: paths of the values that can be changed, as in `Live`.
        view: the chart that is shown first.
    """

    source: str
    after: str
    controls: tuple[str, ...]
    view: str = "throughput"

    def live(self, name: str) -> Live:
        """The example, of the page of this name."""
        return Live(self._scenario(name), self.controls, self.view)

    def _scenario(self, name: str) -> dict[str, Any]:
        kind, _, rest = self.source.partition(" ")
        if kind == "toml":
            found = re.search(r"^```toml\n(.*?)^```", (DOCS / f"{name}.md").read_text("utf-8"), re.M | re.S)
            assert found is not None, f"{name}: expected a block of TOML"
            data = tomllib.loads(found[1])
            # A lesson has its scenario in a table.
            scenario: dict[str, Any] = data.get("scenario", data)
            return scenario
        if kind == "example":
            return dict(example(rest).base().data)
        words = self.source.split()[2:]
        at = next((i for i, word in enumerate(words) if word.startswith("--")), len(words))
        options = {key.removeprefix("--"): value for key, value in zip(words[at::2], words[at + 1 :: 2], strict=True)}
        return dict(scenarios_of(read_line(words[:at], options, []))[0].data)


def _of(place: str, *names: str) -> tuple[str, ...]:
    """Paths of values of one table."""
    return tuple(f"{place}.{name}" for name in names)


_LINE = _of("topology.line", "rate", "delay", "queue.kind", "queue.buffer")
_SLOW = _of("links.slow", "rate", "queue.kind", "queue.buffer")
_SHAPER = _of("links.router.reverse_queue", "rate", "kind", "target")
_SETPOINTS = ("links.slow.rate", *_of("flows", "first.control.setpoint", "second.control.setpoint", "second.start"))

_LOSSY = _of("links", "cell.rate", "cell.delay", "cell.jitter", "cell.queue.buffer", "wifi.rate", "wifi.loss.kind")

#: The pages with an example, by their names without an ending.
PAGES: Mapping[str, Page] = {
    "tutorial": Page("example two-sources", "--set links.slow.queue.kind=fcfs", _SLOW, "rtt"),
    "csfq": Page("example csfq", "", ("topology.line.queue.kind", "topology.line.queue")),
    "packet-pair": Page("example packet-pair", "", _SETPOINTS),
    "how-to/quick": Page("headgate quick 20Mbit/s 30ms cubic bbr --queue fq", "20Mbit/s 30ms cubic bbr", _LINE),
    "how-to/sqm": Page("example sqm", "headgate run scenarios/sqm.toml", _SHAPER, "queueing"),
    "how-to/explore": Page("example two-sources", "headgate explore scenarios/two-sources.toml", _SLOW),
    "how-to/lessons": Page("toml", 'title = "Two round trips"', ("topology.line.rate",)),
    "how-to/own-scenario": Page("toml", '"generic against JK"', (*_SLOW, "flows.generic.control.window")),
    "how-to/links": Page("example lossy-links", "headgate run scenarios/lossy-links.toml", _LOSSY),
    "how-to/choose-a-transport": Page("toml", '"cubic-as-in-linux"', ("flows.f.control.kind", "flows.f.transport")),
    "how-to/flows-that-come-and-go": Page("toml", "arrivals", _of("links.line", "rate", "queue.kind")),
    "how-to/results": Page("example rate-step", "scenarios/rate-step.toml", _SLOW, "window"),
    "how-to/statistics": Page("example cross-traffic", 'set("interval", "1s")', ("seed", "duration")),
    "how-to/export-a-run": Page("example two-sources", "--pcapng two.pcapng", _SLOW),
    "how-to/sweep": Page("example queues-and-rates", "--dry-run", _SLOW, "rtt"),
    "how-to/compare": Page("example queues-and-rates", "--by queue --metric p99_delay", _SLOW, "rtt"),
    "how-to/buffer": Page("headgate quick 10Mbit/s 20ms reno", "headgate buffer 10Mbit/s 20ms", _LINE),
    "how-to/matrix": Page("headgate quick 20Mbit/s 40ms cubic reno call", "--out out/matrix", _LINE),
    "how-to/game": Page("headgate quick 20Mbit/s 40ms cubic*2 bbr3", "--out out/game", _LINE),
    "how-to/contract": Page(
        "headgate quick 10Mbit/s 40ms vegas --buffer 10BDP",
        "headgate contract vegas",
        ("flows.vegas.control", "topology.line.rate"),
        "queueing",
    ),
    "how-to/referee": Page(
        "headgate quick 10Mbit/s 30ms reno reno:start=10s --duration 40s", "# latecomer.case", _LINE
    ),
}

#: How-tos without one, and why.
WITHOUT: Mapping[str, str] = {
    "artifact": "it packs what other pages run",
    "attack": "its scenarios are found by a search that takes minutes",
    "cite": "it prints citations",
    "cluster": "it spreads runs over machines",
    "evaluate": "a score is that of hundreds of runs",
    "infer": "it asks the numbers of papers again, in hundreds of runs",
    "install": "nothing is simulated",
    "mcp": "an assistant makes the runs",
    "native-control": "its control is a shared object, which no browser loads",
    "process-control": "its control is a program, which no browser starts",
    "replay": "a replay needs the file of its trace, which no link holds; a link leads to where it is opened",
    "reproduce": "the runs of papers are behind their numbers, in the report",
    "shell-and-editor": "nothing is simulated",
    "site": "it says how this is built",
    "train-a-control": "its control is in Python, which the page does not run",
    "trust": "it is about code that scenarios name",
    "your-own-control": "its control is in Python; the page has an editor for JavaScript, to which a link leads",
}

#: Pages that lead to the explorer's page: what stands before the link, its words, and the fragment; without one the page's own scenario.
LEADS = {
    "index": (
        "On this site headgate runs in your browser, and nothing is installed:",
        "open the explorer",
        "#page=start",
    ),
    "tutorial": ("On this site the scenario runs in your browser, without a checkout:", "open the explorer", ""),
    "how-to/explore": ("On this site the page runs in your browser, without a server:", "open the explorer", ""),
    "lessons": ("On this site the lessons run in your browser:", "open the lessons", "#page=lessons"),
    "how-to/lessons": ("On this site the lessons run in your browser:", "open the lessons", "#page=lessons"),
    "how-to/your-own-control": ("On this site you can write one in JavaScript:", "open the editor", "#page=own"),
    "how-to/replay": (
        "On this site your browser replays a capture, which stays on your machine:",
        "open it",
        "#page=start",
    ),
}

#: By this make_site.py finds what it shows.
MARK = "hidden data-explore"


def frame(title: str, live: Live) -> str:
    """The place of a live example; `title` is HTML."""
    fragment = html.escape(live.fragment())
    return f'<details class="live" {MARK} data-live="{fragment}"><summary>{title}</summary></details>'


def lead(docname: str, words: str, link: str, fragment: str) -> str:
    """A paragraph that leads to the explorer."""
    fragment = fragment or f"#s={fragment_of(PAGES[docname].live(docname).scenario)}"
    address = f"{'../' * docname.count('/')}explore/index.html{fragment}"
    return f'<p {MARK}>{html.escape(words)} <a href="{html.escape(address)}">{html.escape(link)}</a>.</p>'


def schemes(docname: str) -> dict[str, Live]:
    """The examples of the sections of a reference page, by the names of the schemes."""
    known = docname.removeprefix("reference/")
    make = LISTS.get(known) if docname.startswith("reference/") else None
    return {} if make is None else {name: make(entry) for name, entry in catalogue(known).items() if not entry.plugin}


def all_examples() -> Iterator[tuple[str, str, Live]]:
    """All examples: the page, the section or nothing, and the example."""
    for name in LISTS:
        for scheme, live in schemes(f"reference/{name}").items():
            yield f"reference/{name}", scheme, live
    for name, page in PAGES.items():
        yield name, "", page.live(name)
