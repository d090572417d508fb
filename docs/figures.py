"""Makes the pictures of the documentation again, in docs/images: `make figures`, from the root of a checkout."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import lessons

IMAGES = Path("docs/images")

#: Pictures that a command writes by itself; the last word is the file.
COMMANDS = [
    "run scenarios/packet-pair.toml --panel probe --panel service_rate --panel rate --panel backlog --figure packet-pair.png",
    "run scenarios/packet-pair.toml --set links.slow.queue.kind=fcfs --panel probe --panel rate --panel backlog"
    " --figure packet-pair-fcfs.png",
    "show scenarios/islands.toml --figure islands.svg",
    "quick 50Mbit/s 40ms cubic bbr --buffer 2BDP --no-phase --figure cubic-bbr.png",
    "replay scenarios/office.csv --queue fcfs --queue fq --rate 2Mbit/s --buffer 64KB --figure replay-office.png",
]

#: Figures of the thesis's report.
ITEMS = ["chapter-4", "chapter-5", "scenario-1", "scenario-2", "scenario-7"]
FIGURES = [
    "4.1",
    "transients",
    "5-predictors",
    "5-step",
    "6.3",
    "6.7",
    "6.21",
]

#: Figures of the paper on Core-Stateless Fair Queueing.
CSFQ = ["figure-3a", "figure-3b", "figure-4", "figure-6b", "figure-7", "sensitivity", "rules"]
CSFQ_ITEMS = ["figure-3a", "figure-3b", "figure-4", "figure-6b", "figure-7", "sensitivity"]

#: Figures of our own experiments.
BEYOND = [
    "sharing",
    "quantum",
    "starts",
    "core-stateless-figure-4",
    "core-stateless-scale",
    "tradeoff-gateways",
    "rivals",
]
BEYOND_ITEMS = ["packet-pair", "core-stateless-figure-4", "core-stateless-scale", "tradeoff", "tradeoff-beside"]


def command(*words: str) -> None:
    """Runs a command of this environment."""
    subprocess.run([str(Path(sys.executable).with_name("headgate")), *words], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Writes every picture."""
    subprocess.run([sys.executable, "examples/game.py", "--out", str(IMAGES / "game.png")], check=True)
    lessons.main()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for line in COMMANDS:
            *words, file = line.split()
            command(*words, str(IMAGES / file))
        for paper, items, figures in (
            ("demers1989", ["section-2.3", "figure-1"], ["section-2.3", "figure-1"]),
            ("floyd1991", ["round-trips"], ["round-trips"]),
            ("keshav1991", ITEMS, FIGURES),
            ("stoica1998", CSFQ_ITEMS, CSFQ),
            ("hasegawa2001", ["figures"], ["fairness", "figure-8", "figure-10", "figure-14"]),
            ("kuzmanovic2003", ["figure-4", "figure-17"], ["figure-4", "figure-17"]),
            ("arun2022", ["copa", "delayed-acks"], ["copa", "figure-7"]),
            ("beyond", BEYOND_ITEMS, BEYOND),
        ):
            command("reproduce", paper, *items, "--report", str(folder / paper))
            for figure in figures:
                file = f"{paper}-{figure}.png"
                shutil.copyfile(folder / paper / file, IMAGES / file)
        command("sweep", "scenarios/queues-and-rates.toml", "--out", str(folder / "queues"))
        command(
            "plot", str(folder / "queues"), "--metric", "p99_delay", "--flow", "telnet", "--x", "rate", "--by", "queue", "--log-y",
            "--out", str(IMAGES / "compare-delay.svg"),
        )  # fmt: skip


if __name__ == "__main__":
    main()
