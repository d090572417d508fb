"""Runs the oracles over the recorded streams and writes what they said; README.md has the command."""

from __future__ import annotations

import argparse
import json
import subprocess
import tomllib
from pathlib import Path

from streams import read

HERE = Path(__file__).parent
#: Every so many answers are kept.
STRIDE = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True, help="An interpreter with aioquic.")
    parser.add_argument("--ns3", required=True, help="The program made of drive_ns3.cc.")
    parser.add_argument("--s2n", required=True, help="The program made of s2n/.")
    options = parser.parse_args()
    commands = {"aioquic": [options.python, str(HERE / "drive_aioquic.py")], "ns3": [options.ns3], "s2n": [options.s2n]}
    table = tomllib.loads((HERE / "cases.toml").read_text())
    for case in table["case"]:
        name = f"{case['oracle']}-{case['theirs']}-{case['stream']}"
        command = [*commands[case["oracle"]], case["theirs"]]
        done = subprocess.run(command, input=read(case["stream"]), capture_output=True, text=True, check=True)
        windows = [round(json.loads(line)["cwnd"], 3) for line in done.stdout.splitlines()][::STRIDE]
        gold = {**table["oracle"][case["oracle"]], "stream": case["stream"], "every": STRIDE, "cwnd": windows}
        (HERE / "gold" / f"{name}.json").write_text(json.dumps(gold) + "\n")
        print(name, len(windows), "windows")


if __name__ == "__main__":
    main()
