"""Files of exports: places and endings, several replications, odd names, many flows, Ctrl-C, and one list for options and functions."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import _core, exports
from headgate.base.choices import EXPORTS
from headgate.base.errors import HeadgateError
from headgate.exports import files, follow
from headgate.exports.qlog import file_names

from ..conftest import ROOT, Cli
from ..exported import BUSY, busy

GAME = ROOT / "scenarios/game.toml"
SHORT = ("--set", "duration=6s")


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_options_and_functions_are_of_one_list(cli: Cli) -> None:
    assert list(EXPORTS) == list(exports.FORMATS)
    assert all((what == "DIR") == (exports.FORMATS[name].endings == ()) for name, (what, _) in EXPORTS.items())
    said = cli("run", "--help").stdout
    assert all(f"--{name}" in said for name in EXPORTS)


def test_one_command_writes_all_formats(cli: Cli, tmp_path: Path) -> None:
    done = cli(
        "run", GAME, *SHORT, "--pcapng", "x.pcapng", "--qlog", "q", "--perfetto", "x.pftrace", "--flent", "x.flent.gz"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-4:] == [
        f"written: {name}" for name in ("q", "x.pcapng", "x.pftrace", "x.flent.gz")
    ]
    qlogs = {f"q/{sub}{name}.sqlog" for sub in ("", "qvis/") for name in ("game", "download", "network")}
    assert names(tmp_path) == {"x.pcapng", "x.pftrace", "x.flent.gz"} | qlogs
    # The scenario needs no traces, and its results are the same; with --json nothing else is printed.
    plain, again = (cli("run", GAME, *SHORT, "--json", *more) for more in ((), ("--pcapng", "y.pcapng")))
    assert json.loads(plain.stdout) == json.loads(again.stdout)
    assert stat.S_IMODE((tmp_path / "q").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "y.pcapng").stat().st_mode) == 0o644


def test_the_same_run_gives_the_same_bytes_whatever_it_is_written_with(tmp_path: Path) -> None:
    together = exports.write(busy(), pcapng=tmp_path / "a.pcapng", perfetto=tmp_path / "a.pftrace", qlog=tmp_path / "a")
    alone = [exports.write(busy(), **{name: tmp_path / place})[0] for name, place in
             (("qlog", "b"), ("pcapng", "b.pcapng"), ("perfetto", "b.pftrace"))]  # fmt: skip
    assert [path.name for path in together] == ["a", "a.pcapng", "a.pftrace"]
    for first, second in zip(together, alone, strict=True):
        if first.is_file():
            assert first.read_bytes() == second.read_bytes()
        else:
            assert names(first) == names(second)
            assert all((first / name).read_bytes() == (second / name).read_bytes() for name in names(first))


@pytest.mark.parametrize(
    ("option", "place", "said"),
    [
        ("--pcapng", "a.pcap", "--pcapng a.pcap: expected a name that ends in .pcapng"),
        ("--pcapng", ".pcapng", "--pcapng .pcapng: expected a name that ends in .pcapng"),
        ("--perfetto", "a.json", "--perfetto a.json: expected a name that ends in .pftrace or .perfetto-trace"),
        ("--flent", "a.gz", "--flent a.gz: expected a name that ends in .flent.gz"),
        ("--pcapng", "none/a.pcapng", "none/a.pcapng: cannot be written; expected a folder that exists, found no none"),
        ("--pcapng", "there.pcapng", "there.pcapng: expected a file, found a folder"),
        ("--qlog", "file", "--qlog file: expected a folder, found a file"),
        ("--qlog", "file/q", "--qlog file/q"),
    ],
)
def test_a_bad_place_is_told_before_the_run(option: str, place: str, said: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "there.pcapng").mkdir()
    done = cli("run", GAME, option, place)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
    assert names(tmp_path) == {"file"}


def test_two_formats_in_one_place_and_no_such_format(tmp_path: Path) -> None:
    with pytest.raises(HeadgateError, match="has the same place; expected another"):
        exports.require({"qlog": tmp_path / "a.pcapng", "pcapng": tmp_path / "a.pcapng"})
    with pytest.raises(HeadgateError, match="format 'pcap'; expected one of qlog, pcapng, perfetto, flent"):
        exports.require({"pcap": tmp_path / "a.pcap"})


def test_each_replication_has_files_of_its_own(tmp_path: Path) -> None:
    results = headgate.Scenario.from_dict(BUSY).set("duration", "3s").set("events", []).run(replications=3)
    assert len(set(results.digest.split("-"))) == 3
    shares: list[tuple[float, int, int]] = []
    found = exports.write(results, pcapng=tmp_path / "a.b.pcapng", qlog=tmp_path / "q", flent=tmp_path / "f.flent.gz",
                          progress=lambda *share: shares.append(share))  # fmt: skip
    made = [p.name for p in found]
    assert made == [name for k in range(3) for name in (f"q-run{k}", f"a-run{k}.b.pcapng", f"f-run{k}.flent.gz")]
    for k in range(3):
        digest = results.runs[k].digest
        head = json.loads((tmp_path / f"q-run{k}/network.sqlog").read_text("utf-8")[1:].split("\x1e")[0])
        assert digest in head["description"]
        assert digest.encode() in (tmp_path / f"a-run{k}.b.pcapng").read_bytes()[:1000]
    assert len({(tmp_path / name).stat().st_size for name in made if name.endswith("gz")}) == 3
    assert shares == sorted(shares)
    assert {(done, total) for _, done, total in shares} == {(0, 3), (1, 3), (2, 3)}
    ends = [max(share for share, done, _ in shares if done == k) for k in range(3)]
    assert ends == pytest.approx([1 / 3, 2 / 3, 1])


def test_a_folder_keeps_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "q/qvis").mkdir(parents=True)
    (tmp_path / "q/mine.txt").write_text("kept")
    (tmp_path / "q/network.sqlog").write_text("old")
    exports.write(busy(), qlog=tmp_path / "q")
    assert (tmp_path / "q/mine.txt").read_text() == "kept"
    assert (tmp_path / "q/network.sqlog").read_text("utf-8").startswith('\x1e{"file_schema"')
    assert {path.name for path in tmp_path.iterdir()} == {"q"}


@pytest.mark.parametrize("moment", ["take", "finish"])
def test_nothing_half_written_remains(moment: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files.timeline.TimelineWriter, moment, stop)
    places = {"pcapng": "a.pcapng", "qlog": "q", "perfetto": "a.pftrace", "flent": "a.flent.gz"}
    with pytest.raises(KeyboardInterrupt):
        exports.write(busy(), **{name: tmp_path / place for name, place in places.items()})  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.capture.CaptureWriter, "take", full)
    with pytest.raises(HeadgateError, match=r"a\.pcapng: cannot be written; No space left on device"):
        exports.write(busy(), pcapng=tmp_path / "a.pcapng")
    assert list(tmp_path.iterdir()) == []


LATER = """
import os, signal, sys, threading
from headgate.exports import files
real = files.capture.CaptureWriter.take
def take(self, batch):
    real(self, batch)
    os.kill(os.getpid(), signal.SIGINT)
files.capture.CaptureWriter.take = take
from headgate.cli import main
main()
"""


def test_ctrl_c_ends_an_export(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LATER, "run", GAME, "--pcapng", "a.pcapng", "--qlog", "q", "--perfetto", "a.pftrace"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 128 + signal.SIGINT
    assert done.stderr == "stopped\n"
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_a_run_that_repeats_differently_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = _core.follow

    def other(text: str, seed: int, *args: Any) -> str:
        return real(text, seed + 1, *args)

    monkeypatch.setattr(_core, "follow", other)
    with pytest.raises(
        HeadgateError, match=f"busy: repeated, run 0 has the digest [0-9a-f]{{16}}; expected {busy().digest}"
    ):
        exports.write(busy(), pcapng=tmp_path / "a.pcapng")
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_takes_too_much_memory_says_so(tmp_path: Path) -> None:
    with pytest.raises(headgate.ScenarioError, match=r"at most 0\.000 GB of memory"):
        exports.write(busy(), pcapng=tmp_path / "a.pcapng", max_memory=1)
    assert list(tmp_path.iterdir()) == []


def test_thousands_of_flows(tmp_path: Path) -> None:
    scenario = headgate.Scenario.from_dict(
        {
            "duration": "200ms", "interval": "100ms", "warm_up": "0s",
            "topology": {"kind": "dumbbell", "hosts": 1, "line": {"rate": "1Gbit/s"}, "access": {"rate": "10Gbit/s"}},
            "flows": [{"name": "f{i}", "from": "s1", "to": "d1", "count": 3000, "control": "none",
                       "workload": {"kind": "cbr", "rate": "80kbit/s"}}],
        }
    )  # fmt: skip
    results = scenario.run()
    exports.write(
        results,
        pcapng=tmp_path / "a.pcapng",
        qlog=tmp_path / "q",
        perfetto=tmp_path / "a.pftrace",
        flent=tmp_path / "a.flent.gz",
    )
    assert len(names(tmp_path / "q")) == 2 * 3001
    assert "f3000" in (tmp_path / "q/f3000.sqlog").read_text("utf-8")


@pytest.mark.parametrize(
    "flows", [["a/b", "a:b", "a b"], ["..", ".", "", "\0"], ["A", "a", "network"], ["é" * 300, "é" * 301]]
)
def test_names_of_files_differ_and_are_harmless(flows: list[str]) -> None:
    found = file_names(flows)
    assert len({name.lower() for name in found} | {"network"}) == len(flows) + 1
    for name in found:
        assert name.isascii()
        assert not name.startswith(".")
        assert 0 < len(name) < 80
        assert not set(name) & set('/\\:*?"<>| \0')


def test_packets_wait_until_none_can_come_before() -> None:
    """Rows that are handed over out of their order, as ports with long lines do."""
    taken: list[follow.Batch] = []

    class Keep:
        def take(self, batch: follow.Batch) -> None:
            taken.append(batch)

        def finish(self) -> None:
            pass

    pending = follow._Pending([Keep()])

    def part(starts: list[float], at: list[float], until: float) -> None:
        packets = {name: np.zeros(len(starts), dtype=int) for name in ("number", "port")} | {
            "start_s": np.array(starts)
        }
        traces = {"trace": (np.zeros(len(at), int), ["rtt"]), "object": (np.zeros(len(at), int), ["a"])}
        traces |= {"time_s": np.array(at), "value": np.array(at)}
        pending.take(packets, {"what": np.zeros(len(at), int), "at_s": np.array(at)}, traces, until)

    part([3.0, 1.0], [1.5, 3.5], 2.0)
    part([2.0], [4.5], 4.0)
    part([np.nan, 4.0], [5.0], np.inf)
    ns = [
        [
            (np.array(b.packets["start_ns"]) // 10**9).tolist(),
            (b.ends["at_ns"] // 10**8).tolist(),
            (b.values["at_ns"] // 10**8).tolist(),
        ]
        for b in taken
    ]
    assert ns == [[[1], [15], [15]], [[2, 3], [35], [35]], [[4], [45, 50], [45, 50]]]
    assert [len(b.waiting.get("port", ())) for b in taken] == [0, 0, 1]
    # Times are the nearest nanoseconds.
    assert follow._times({"at_s": np.array([1.9999999996, 0.1, np.nan])})["at_ns"].tolist() == [
        2_000_000_000,
        100_000_000,
        -1,
    ]
