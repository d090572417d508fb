"""Studies of which a byte has changed on the disk: never other data, never a traceback, and a command that repairs them."""

from __future__ import annotations

import json
import random
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import headgate
from headgate.base.errors import HeadgateError
from headgate.sweep import checksums
from headgate.sweep import store as stores
from headgate.sweep.arrow import canonical, to_arrow
from headgate.sweep.study import axis_columns

from ..conftest import Cli
from ..studies import QUEUES, Here, plain, run_here, sweep_of, write, written

#: One of the four variants is wrong, so that there is a table of failures.
TABLE: dict[str, Any] = {
    "axes": {
        "links.slow.queue": [{"kind": "fcfs", "buffer": "600B"}, "fq"],
        "flows.*.packet": ["500B", "1000B"],
    },
    "replications": 2,
}

Seen = tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]


class Some(Here):
    """An engine that fails after a number of chunks, as if the driver had been killed."""

    left = 2

    def outcomes(self, timeout: float) -> Any:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().outcomes(timeout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A study with several parts of each table, and with chunks that have not been merged."""
    out = tmp_path_factory.mktemp("damage") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stores, "PART_ROWS", 6)
        sweep = sweep_of(TABLE)
        run_here(sweep, patch, out=out)
        # More replications of the same study, begun only: the manifest is that of both.
        store = stores.Store(out).open()
        store.write_manifest({**store.manifest, "sweep": {**TABLE, "replications": 4}, "complete": False})
        with pytest.raises(KeyboardInterrupt):
            run_here(sweep_of({**TABLE, "replications": 4}), patch, Some(1, 1), out=out, resume=True)
    found = {f.relative_to(out).parts[0] for f in files(out)}
    assert found == {"runs", "flows", "links", "failures", "times", "work-1", "manifest.json", "manifest-copy.json"}
    assert len(list((out / "flows").iterdir())) > 1
    yield out


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> headgate.Study:
    return run_here(sweep_of({**TABLE, "replications": 4}), monkeypatch)


def files(out: Path) -> list[Path]:
    return sorted(f for f in out.rglob("*") if f.is_file() and f.name != ".lock")


def look(out: Path) -> Seen:
    study = headgate.open_study(out)
    return study.manifest, {name: study.table(name).to_pylist() for name in stores.TABLES}


def damages(content: bytes, rng: random.Random, many: int) -> Iterator[bytes]:
    """Bytes changed, and files cut off, emptied, or longer than they were."""
    for place in range(len(content)) if len(content) < many else sorted(rng.sample(range(len(content)), many)):
        yield content[:place] + bytes([content[place] ^ rng.randrange(1, 256)]) + content[place + 1 :]
    yield b""
    yield content[: rng.randrange(len(content))]
    yield content + b"\0"


@pytest.mark.slow
def test_any_byte_of_any_file(folder: Path, tmp_path: Path) -> None:
    before = look(folder)
    rng = random.Random(1)
    refused = equal = 0
    for file in files(folder):
        content = file.read_bytes()
        for changed in damages(content, rng, 10):
            file.write_bytes(changed)
            try:
                assert look(folder) == before, file
                equal += 1
            except HeadgateError as e:
                refused += 1
                assert str(file) in str(e)
                assert f"headgate sweep FILE --out {folder} --resume" in str(e) or file.name == "manifest.json"
        file.write_bytes(content)
    assert look(folder) == before
    # The copy is read only when the manifest is damaged; blanks between its words may change.
    assert refused > 2 * equal > 0


@pytest.mark.slow
def test_bytes_of_a_manifest(folder: Path) -> None:
    file = folder / "manifest.json"
    content, before = file.read_bytes(), checksums.read_manifest(file, folder)
    rng = random.Random(2)
    try:
        for changed in damages(content, rng, 1000):
            file.write_bytes(changed)
            try:
                assert checksums.read_manifest(file, folder) == before
            except HeadgateError as e:
                assert str(file) in str(e)
    finally:
        file.write_bytes(content)


@pytest.mark.slow
def test_resume_mends_any_file(
    folder: Path, whole: headgate.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "PART_ROWS", 6)
    sweep = sweep_of({**TABLE, "replications": 4})
    have = {(r["variant"], r["replication"]) for r in headgate.open_study(folder).runs.to_pylist()}
    every = {(r["variant"], r["replication"]) for r in whole.runs.to_pylist()}
    absent = [folder / "manifest.json", min((folder / "links").iterdir()), min((folder / "work-1").iterdir())]
    for kind, file in [*(("flipped", f) for f in files(folder)), *(("absent", f) for f in absent)]:
        out = tmp_path / "out"
        shutil.copytree(folder, out)
        mine = out / file.relative_to(folder)
        content = bytearray(mine.read_bytes())
        content[len(content) // 2] ^= 1
        if kind == "flipped":
            mine.write_bytes(content)
        else:
            mine.unlink()
        engine = Here()
        study = run_here(sweep, monkeypatch, engine, out=out, resume=True)
        for table in ("runs", "flows", "links", "failures"):
            assert plain(study.table(table)) == plain(whole.table(table)), file
        again = set(engine.ran) - (every - have)
        assert len(set(engine.ran)) == len(engine.ran)
        # Only runs of the variants in the damaged file are done again.
        if file.parent.name in ("runs", "flows", "links") or (kind, file.suffix) == ("flipped", ".arrows"):
            assert 0 < len(again) <= len(have)
        elif file.suffix != ".arrows":
            assert not again
        assert look(out)[0] == checksums.read_manifest(out / "manifest-copy.json", out)
        shutil.rmtree(out)


def test_a_manifest_and_its_copy_damaged(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    for name in ("manifest.json", "manifest-copy.json"):
        (out / name).write_text("{")
        with pytest.raises(HeadgateError, match=r"manifest\.json"):
            headgate.open_study(out)
    with pytest.raises(HeadgateError, match=r"manifest\.json: .*and so is manifest-copy\.json.*remove the folder"):
        run_here(sweep_of({**TABLE, "replications": 4}), monkeypatch, out=out, resume=True)
    assert files(out) != []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.pop("files"), "damaged"),
        (lambda m: m.update(variants="four"), "damaged"),
        (lambda m: m.update(generation=None), "damaged"),
        (lambda m: m.pop("sha256"), "damaged"),
        (lambda m: m.update(format=1) or m.pop("sha256"), "form 3, found form 1"),
        (lambda m: m.pop("kind") and m.pop("sha256"), "found another file"),
    ],
)
def test_a_manifest_changed_by_hand(change: Any, words: str, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    manifest = json.loads((out / "manifest.json").read_text())
    change(manifest)
    (out / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(HeadgateError, match=rf"manifest\.json: .*{words}"):
        headgate.open_study(out)


def test_the_part_of_another_table(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    flows, links = sorted((out / "flows").iterdir())[0], sorted((out / "links").iterdir())[0]
    shutil.copy(links, flows)
    with pytest.raises(HeadgateError, match=r"flows/part-0-\w{16}\.parquet: is damaged"):
        _ = headgate.open_study(out).flows


def test_the_command_in_the_message_mends_the_study(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"axes": {"links.slow.queue": ["fcfs", "fq"]}, "replications": 2})
    assert cli("sweep", "a.json", "--workers", 1, "--out", "my out").returncode == 0
    (part,) = (tmp_path / "my out/flows").glob("part-*.parquet")
    content = bytearray(part.read_bytes())
    content[-20] ^= 4
    part.write_bytes(content)
    for args in (["compare", "my out", "--by", "queue", "--metric", "rtt"], ["plot", "my out", "--out", "a.svg"]):
        done = cli(*args)
        assert done.returncode == 2
        assert f"my out/flows/{part.name}: is damaged" in done.stderr
    command = done.stderr.partition("repair it with: ")[2].partition(" (with")[0]
    mended = cli(*shlex.split(command.replace("FILE", "a.json"))[1:], "--workers", 1)
    assert mended.returncode == 0, mended.stderr
    assert f"my out/flows/{part.name}: was damaged; the runs of variants 0 to 1 are done again" in mended.stderr
    assert cli("compare", "my out", "--by", "queue", "--metric", "rtt").returncode == 0


def test_parts_do_not_tell_how_their_rows_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dictionaries with a text twice, unused or in another order; and runs too many, which a stopping rule does not count."""
    rows = {"flow": (np.array([3, 1, 3]), ["x", "b", "x", "a"]), "n": np.array([1.0, float("nan"), 3.0])}
    same = {"flow": (np.array([0, 1, 0]), ["a", "b"]), "n": rows["n"]}
    twice = {"flow": (np.array([0, 2, 1]), ["a", "a", "b"]), "n": rows["n"]}
    parts = [
        checksums.part_of(canonical(pa.table({k: to_arrow(v) for k, v in x.items()}))) for x in (rows, same, twice)
    ]
    assert len({digest for _, digest in parts}) == 1
    assert pa.parquet.ParquetFile(pa.BufferReader(parts[0][0])).read()["flow"].to_pylist() == ["a", "b", "a"]
    monkeypatch.setattr(stores, "PART_ROWS", 8)
    delays, ranges = np.random.default_rng(1).uniform(1, 2, (3, 6, 2)), []
    for replications in (2, 6):
        folder = tmp_path / str(replications)
        written(folder, QUEUES, delays[:, :replications], merge=False)
        store = stores.Store(folder).open()
        store.merge(True, np.full(3, 2), axis_columns(sweep_of({"replications": 2, "axes": QUEUES})._variants))
        ranges.append([part["variants"] for part in store.manifest["files"]["flows"]])
    assert ranges[0] == ranges[1] == [[0, 2], [2, 3]]
