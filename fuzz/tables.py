#!/usr/bin/env python3
"""Fuzzes the readers of Parquet files and of tables in memory: fuzz/tables.py COUNT [FIRST].

Each input follows from its number. A quarter are tables in memory with columns of any types, the others damaged Parquet files. Either there
is a result, or an error that names its place; nothing else is raised, and no process dies. A number that fails can be tried alone:
fuzz/tables.py 1 NUMBER.
"""

from __future__ import annotations

import io
import mmap
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

#: Inputs of one process; one that dies does not stop the others.
CHUNK = 20_000

#: Failures after which no more inputs are tried.
ENOUGH = 10

NAMES = ("time_s", "flow", "size_bytes", "weight", "priority", "more")


def column(rng: random.Random, pa: Any, rows: int, name: str) -> Any:
    """A column of any type; mostly of one that fits."""
    gaps = [rng.choice((0, 0, 1, 5, 1000)) for _ in range(rows)]
    small = [rng.choice((1, 2, 3, 40, 1500, 2**24)) for _ in range(rows)]
    rising = [sum(gaps[: i + 1]) for i in range(rows)]
    fitting = {
        "time_s": lambda: rng.choice(
            [
                pa.array([t * 1e-3 for t in rising], pa.float64()),
                pa.array(rising, pa.int64()),
                pa.array(rising, pa.timestamp(rng.choice(["s", "ms", "us", "ns"]))),
                pa.array(rising, pa.duration(rng.choice(["s", "ms", "us", "ns"]))),
            ]
        ),
        "flow": lambda: rng.choice(
            [pa.array([str(x) for x in small]), pa.array(small), pa.array([str(x) for x in small]).dictionary_encode()]
        ),
    }.get(name, lambda: pa.array(small, rng.choice([pa.int64(), pa.int32(), pa.uint32(), pa.float64()])))
    strange = [
        lambda: pa.array([None] * rows),
        lambda: pa.array([[x] for x in small]),
        lambda: pa.array([{"x": x} for x in small]),
        lambda: pa.array([bool(x & 1) for x in small]),
        lambda: pa.array([rng.randbytes(3) for _ in small], pa.binary()),
        lambda: pa.array([rng.choice((None, x)) for x in small]),
        lambda: pa.array([rng.choice((-1, 2**63 - 1, -(2**63), x)) for x in small], pa.int64()),
        lambda: pa.array([rng.choice((float("nan"), float("inf"), -1e308, 0.5, x)) for x in small], pa.float64()),
        lambda: pa.array([rng.choice((2**64 - 1, x)) for x in small], pa.uint64()),
        lambda: pa.array([rng.choice(("", "=1", "x" * 100, "\0", str(x))) for x in small], pa.large_string()),
        lambda: pa.array(small, pa.int64()).cast(pa.decimal128(38, 3)),
        lambda: pa.array(small, pa.int32()).cast(pa.date32()),
        lambda: pa.array(small, pa.int64()).cast(pa.time64("us")),
        lambda: pa.array(small, pa.int64()).cast(pa.float32()).cast(pa.float16()),
        lambda: pa.nulls(rows, pa.dictionary(pa.int8(), pa.string())),
    ]
    return rng.choice(strange)() if rng.random() < 0.15 else fitting()


def table(rng: random.Random, pa: Any) -> Any:
    """A table of a few rows."""
    rows = rng.choice((0, 1, 2, 7, 40))
    chosen = list(NAMES[:3]) + [n for n in NAMES[3:5] if rng.random() < 0.5]
    if rng.random() < 0.1:
        chosen.append(rng.choice(NAMES))
    if rng.random() < 0.1:
        chosen.remove(rng.choice(chosen))
    rng.shuffle(chosen)
    return pa.Table.from_arrays([column(rng, pa, rows, name) for name in chosen], names=chosen)


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Some bytes changed, cut out, put in or cut off: of the pages, of the footer, or anywhere."""
    out = bytearray(data)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    first, last = rng.choice(((4, footer), (footer, len(data)), (0, len(data))))
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(first, max(first + 1, last))
        match rng.randrange(6):
            case 0 | 1:
                out[at : at + 1] = bytes([rng.randrange(256)])
            case 2:
                out[at : at + 1] = bytes([(out[at] if at < len(out) else 0) ^ (1 << rng.randrange(8))])
            case 3:
                out[at : at + rng.randrange(1, 9)] = rng.choice((b"", b"\xff" * 5, b"\0" * 4, b"\x80" * 9))
            case 4:
                del out[at : at + rng.randrange(1, 30)]
            case 5:
                out[at:at] = rng.randbytes(rng.randrange(1, 9))
    return bytes(out[: rng.randrange(len(out) + 1)]) if rng.random() < 0.03 else bytes(out)


def examples(pa: Any, pq: Any) -> list[bytes]:
    """Whole Parquet files, of tables that are traces."""
    out = []
    for seed in range(40):
        rng = random.Random(f"example {seed}")
        made = io.BytesIO()
        compression = rng.choice(["none", "snappy", "zstd", "gzip"])
        options = {"compression": compression, "use_dictionary": rng.random() < 0.5, "data_page_size": 64}
        try:
            pq.write_table(table(rng, pa), made, row_group_size=rng.choice((3, 100)), version="2.6", **options)
        except (pa.ArrowException, ValueError):
            continue  # a type that Parquet has not, or two columns of a name
        out.append(made.getvalue())
    return out


def try_inputs(first: int, count: int, present: str) -> None:
    """Tries some inputs; the file `present` always holds the number of the present one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import headgate
    from headgate.base.errors import HeadgateError

    # A length that a damaged file claims is an error of memory, not the end of the machine.
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    files = examples(pa, pq)
    with Path(present).open("r+b") as file, tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        shared = mmap.mmap(file.fileno(), 8)
        path = Path(folder, "t.parquet")
        for number in range(first, first + count):
            shared[:8] = number.to_bytes(8, "little")
            rng = random.Random(number)
            if rng.random() < 0.25:
                source: Any = table(rng, pa)
            else:
                source = path
                path.write_bytes(damaged(rng, rng.choice(files)))
            signal.alarm(30)
            try:
                headgate.replay(source, rng.choice(["fcfs", "fq", "drr"]), "10Mbit/s", lenient=rng.random() < 0.5)
            except HeadgateError as e:
                text = str(e)
                if not text.startswith(("table: ", f"{path}: ")) or len(text) > len(str(path)) + 600 or "\n" in text:
                    raise AssertionError(f"input {number}: {text!r}") from e
            signal.alarm(0)


def main() -> int:
    """Tries a number of inputs in separate processes; the numbers of those that failed on standard output."""
    if sys.argv[1] == "--chunk":
        try_inputs(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
        return 0
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    end, failed = first + count, 0
    with tempfile.NamedTemporaryFile() as present:
        present.write(bytes(8))
        present.flush()
        at = first
        while at < end and failed < ENOUGH:
            now = min(CHUNK, end - at)
            child = [sys.executable, __file__, "--chunk", str(at), str(now), present.name]
            done = subprocess.run(child, stderr=subprocess.PIPE, text=True)
            if done.returncode == 0:
                at += now
            else:
                number = int.from_bytes(Path(present.name).read_bytes(), "little")
                print(f"input {number}: exit code {done.returncode}\n{done.stderr[-2000:]}", flush=True)
                failed += 1
                at = max(at, number) + 1
    print(f"{min(at, end) - first} inputs from number {first}, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("ARROW_NUM_THREADS", "1")
    sys.exit(main())
