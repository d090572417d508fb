"""A game beside a download, over a link with two queues: a table, a sentence and a picture.

    python examples/game.py                  # the picture is out/demo/game.png
    python examples/game.py --out game.png

The scenario is `scenarios/game.toml`: a link of 20 Mbit/s, a game that sends 64 kbit/s, and a
download with CUBIC that begins at 5 s. It runs once with a queue in order of arrival (`fcfs`), and
once with Fair Queueing (`fq`).
"""

import argparse
from pathlib import Path

import headgate
from headgate.base.palette import BLUE, GREY, GRID, VERMILION
from headgate.plots.canvas import Picture, blank

QUEUES = {"fcfs": "in order of arrival (fcfs)", "fq": "Fair Queueing (fq)"}
LOOKS = {"fcfs": (VERMILION, "--", 16), "fq": (BLUE, "-", 12)}


def draw(runs: dict[str, headgate.Results], file: Path) -> None:
    """Draws the ping of the game against time, under each queue."""
    sheet = blank(8.0, 3.6)
    axes = sheet.subplots()
    for queue, (colour, dashes, above) in LOOKS.items():
        table = runs[queue].intervals
        rows = table["flow"] == "game"
        time, ping = table["end_s"][rows], 1e3 * table["rtt_mean_s"][rows]
        axes.plot(time, ping, color=colour, ls=dashes, lw=2)
        most = ping[time > 8].max()
        text = f"{QUEUES[queue]}: up to {most:.0f} ms"
        axes.text(29.8, most + above, text, color=colour, ha="right", fontsize=11, weight="bold")
    axes.axvline(5, color=GREY, lw=1, ls=":")
    axes.text(4.8, 200, "a download\nbegins", color=GREY, fontsize=10, ha="right")
    axes.set(xlim=(0, 30), ylim=(0, 325), xlabel="time (s)", ylabel="ping of the game (ms)")
    axes.grid(color=GRID, lw=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    Picture(sheet, file)


def main() -> None:
    """Runs both, prints what the game and the download got, and draws the picture."""
    parser = argparse.ArgumentParser(description="A game beside a download, over a link with two queues.")
    parser.add_argument("--out", type=Path, default=Path("out/demo/game.png"), help="file of the picture")
    file = parser.parse_args().out
    scenario = headgate.example("game")
    runs = {queue: scenario.set("topology.line.queue.kind", queue).run(seed=1) for queue in QUEUES}
    print(f"  {'queue':26} {'the game waits':>14}   {'the download gets':>17}")
    waits = {}
    for queue, name in QUEUES.items():
        game, download = runs[queue].flow_summaries()
        waits[queue] = 1e3 * game.queueing_s.mean
        print(f"  {name:26} {waits[queue]:>11.1f} ms   {download.goodput_bps.mean / 1e6:>10.1f} Mbit/s")
    print(f"  The game waits {waits['fq']:.1f} instead of {waits['fcfs']:.1f} ms, and the download is as fast.")
    file.parent.mkdir(parents=True, exist_ok=True)
    draw(runs, file)
    print(f"  picture of its ping in both: {file}")


if __name__ == "__main__":
    main()
