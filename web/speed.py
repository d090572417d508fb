"""Compares the speed of the page's module with that of the engine as wheels have it: `make bench-site`, after `make site`.

    python web/speed.py [--module FILE] [--rounds COUNT]

Each row is the least time of so many runs of each, in turn, without rows; the digests must be equal. The first runs are left out: the
engine of JavaScript compiles meanwhile. It exits with 1 if the module is too large, or slower than that of a page may be.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from headgate import _core
from headgate.checks import bench

ROOT = Path(__file__).resolve().parents[1]

#: Bytes that the module may have as it is transferred.
LARGEST = 1_500_000

#: The least share of the native speed in any row. The aim was 0.6: docs/performance.md says what is reached.
LEAST = 0.5

#: Runs before those that count.
WARM = 3


def main() -> int:
    """Prints the table; gives the exit code."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--module", type=Path, default=ROOT / "out/site/explore/headgate.wasm.gz")
    options.add_argument("--rounds", type=int, default=10)
    given = options.parse_args()
    workloads = [bench.w1("fcfs"), bench.w1("fq"), *(bench.w2("fcfs", name) for name in ("jk_reno", "reno", "cubic"))]
    workloads.append(bench.w2("fq_codel", "cubic"))
    size, found = given.module.stat().st_size, []
    print(f"{'workload':<24}{'native':>10}{'module':>10}{'native to module':>20}")
    with subprocess.Popen(
        ["node", ROOT / "web/speed.mjs", given.module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as node:
        assert node.stdin is not None and node.stdout is not None
        for workload in workloads:
            text = json.dumps(workload.scenario)
            native, module = [], []
            for _ in range(WARM + given.rounds):
                start = time.perf_counter()
                digest = _core.Batch().run(text)[0]
                native.append(time.perf_counter() - start)
                node.stdin.write(f"{text}\n")
                node.stdin.flush()
                told = json.loads(node.stdout.readline())
                module.append(told["seconds"])
                if told["digest"] != digest:
                    raise SystemExit(f"{workload.name}: the module has the digest {told['digest']}; expected {digest}")
            least = min(native[WARM:]), min(module[WARM:])
            found.append(least[0] / least[1])
            control = workload.scenario["flows"][0]["control"]
            name = f"{workload.name} {workload.queue} {control if isinstance(control, str) else control['kind']}"
            print(f"{name:<24}{1e3 * least[0]:>7.0f} ms{1e3 * least[1]:>7.0f} ms{found[-1]:>20.2f}")
    print(f"The module has {size / 1e6:.2f} MB to transfer; at most {LARGEST / 1e6:.1f} MB.")
    return int(size > LARGEST or min(found) < LEAST)


if __name__ == "__main__":
    sys.exit(main())
