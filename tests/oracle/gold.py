"""What the other flow controls say on the recorded streams, as the files of gold/ have it."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

from streams import read

HERE = Path(__file__).parent
#: One answer in this number is kept.
STRIDE = 20


def run(commands: dict[str, list[str]]) -> dict[Path, str]:
    """The text of each file, with the command that runs each implementation by its name in cases.toml."""
    table = tomllib.loads((HERE / "cases.toml").read_text())
    texts = {}
    for case in table["case"]:
        name = f"{case['oracle']}-{case['theirs']}-{case['stream']}"
        command = [*commands[case["oracle"]], case["theirs"]]
        done = subprocess.run(command, input=read(case["stream"]), capture_output=True, text=True, check=True)
        windows = [round(json.loads(line)["cwnd"], 3) for line in done.stdout.splitlines()][::STRIDE]
        gold = {**table["oracle"][case["oracle"]], "stream": case["stream"], "every": STRIDE, "cwnd": windows}
        texts[HERE / "gold" / f"{name}.json"] = json.dumps(gold) + "\n"
    return texts
