#!/usr/bin/env python3
"""Writes the inputs from which fuzzing begins, and the words that it puts into scenarios, below `corpus`."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "tests"))
import captures  # noqa: E402

#: A run that is complete before the fuzz target ends it.
SHORT = {"duration": "2s", "interval": "0.5s", "warm_up": "0.5s"}


def schema_words(part: Any) -> Iterator[str]:
    """The names of fields, and the values that a field names one by one."""
    if isinstance(part, dict):
        fields = part.get("properties")
        yield from fields if isinstance(fields, dict) else ()
        values = part.get("enum")
        yield from (x for x in [part.get("const"), *(values or [])] if isinstance(x, str))
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from schema_words(one)


def scenarios(words: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Scenarios by name: those of the tests, those of the package, and short ones with every word as a kind; some are errors."""
    for file in sorted((ROOT / "tests/digests").glob("*.json")):
        example = json.loads(file.read_text())["scenario"]
        yield file.stem, example
        yield f"{file.stem}-short", example | SHORT
    for file in sorted((ROOT / "scenarios").glob("*.toml")):
        example = {k: v for k, v in tomllib.loads(file.read_text()).items() if k != "sweep"}
        yield f"{file.stem}-scenario", example | SHORT
    example = json.loads((ROOT / "tests/digests/two-sources.json").read_text())["scenario"]
    access, slow = example["links"]
    ftp, telnet = example["flows"]
    for word in words:
        kind = {"kind": word}
        yield f"queue-{word}", example | SHORT | {"links": [access, slow | {"queue": kind}]}
        yield f"control-{word}", example | SHORT | {"flows": [ftp | {"control": kind}, telnet]}
        yield (
            f"topology-{word}",
            SHORT | {"topology": kind, "flows": [{"name": "f{i}", "from": "h{i}", "to": "h{i+1}", "count": 2}]},
        )
        yield f"workload-{word}", example | SHORT | {"flows": [ftp | {"workload": kind}, telnet]}
        for key in "loss", "framing", "rate":
            law = {"forward": kind, "reverse": slow["rate"]} if key == "rate" else kind
            yield f"{key}-{word}", example | SHORT | {"links": [access, slow | {key: law}]}
        # What marks packets, and what answers marks: the AQMs in a scheduler, and each control in both queues of DualPI2.
        yield from marked(word, example, access, slow, ftp)
    laws = {"jitter": {"mean": "9ms", "reorder": True}, "duplicate": 0.1, "loss": "gilbert_elliott", "framing": "atm"}
    steps = {"kind": "steps", "steps": [["0s", "80kbit/s"], ["0.7s", "0bit/s"], ["0.9s", "1Mbit/s"]], "period": "1s"}
    for name, more in {
        "laws": laws,
        "bursts": {"aggregation": {"packets": 2, "every": "30ms"}, "framing": {"forward": "ethernet"}},
        "steps": {"rate": {"forward": steps, "reverse": "1Mbit/s"}},
        "trace": {"rate": {"kind": "mahimahi", "times": [3, 3, 9, 40]}, "delay": {"forward": "1ms", "reverse": "2ms"}},
        "product": {"queue": {"kind": "fcfs", "buffer": "1.5BDP"}, "rtt": "3s"},
        "time": {"queue": {"kind": "red", "buffer": "5s", "min_threshold": "1s", "max_threshold": "2s"}},
    }.items():
        yield f"link-{name}", example | SHORT | {"links": [access, slow | more]}


def marked(
    word: str, example: dict[str, Any], access: Any, slow: Any, ftp: Any
) -> Iterator[tuple[str, dict[str, Any]]]:
    """A word as an AQM and as a flow control, on a line where its controller takes some steps, with flows that understand marks."""
    line = slow | {"rate": "400kbit/s"}
    reno = ftp | {"control": {"kind": "newreno"}, "transport": {"ecn": True}, "packet": "500B"}
    for scheduler in "fcfs", "drr_plus_plus":
        for more in {}, {"mark": True}:
            queue = {"kind": scheduler, "buffer": "12pkt", "aqm": {"kind": word} | more}
            name = f"aqm-{word}-{scheduler}{'-marks' if more else ''}"
            yield name, example | SHORT | {"links": [access, line | {"queue": queue}], "flows": [reno]}
    for queue in "dualpi2", "cake":
        flows = [ftp | {"name": "a{i}", "control": {"kind": word}, "packet": "500B"}, reno]
        yield (
            f"{queue}-{word}",
            example | SHORT | {"links": [access, line | {"queue": {"kind": queue}}], "flows": flows},
        )


def main() -> None:
    """Writes all seeds."""
    corpus = HERE / "corpus"
    for target in "scenario", "capture", "table":
        (corpus / target).mkdir(parents=True, exist_ok=True)
    words = sorted(set(schema_words(json.loads((ROOT / "docs/reference/scenario.schema.json").read_text()))))
    (corpus / "dictionary").write_text((HERE / "dictionary").read_text() + "".join(f'"\\"{w}\\""\n' for w in words))
    for name, scenario in scenarios(words):
        (corpus / "scenario" / name).write_text(json.dumps(scenario))
    packets = [*captures.bulk()][:3] + [*captures.sparse()][:2]
    (corpus / "capture/pcapng").write_bytes(captures.pcapng(packets))
    pcap = captures.pcap(packets)
    for link in 0, 1, 101, 108, 113, 228, 229, 276:
        # The link type stands in the last four bytes of the header.
        (corpus / f"capture/pcap-{link}").write_bytes(pcap[:20] + link.to_bytes(4, "little") + pcap[24:])


if __name__ == "__main__":
    main()
