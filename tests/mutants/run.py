"""Mutants of headgate.stats and headgate.analysis: each small change to the code, and whether a test notices. Run by `make mutants`.

mutmut wants the package beside the tests, so a copy is made of both. Doctests are tests too, but mutmut copies each docstring to every
mutant of its function: they are run from the sources as they stand (`doctests.py`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / ".cache/mutants"

#: Tests that look at these two packages, and those of them that take long because they simulate.
TESTS = ("test_stats", "test_stats_exact", "test_theory", "test_fluid", "test_packet_pair_theory", "test_fairness")
SLOW = (
    "md1 or little or window_over or shares_bits or weighted_fq or ill_behaved or telnet_delay or simulated or sweep or priority"
    " or any_stream or perfect_share or covered or stopping_rule_and or short_batches or under_independence or are_exact or settled_series"
)
#: Fewer examples of each property than elsewhere: a mutant that only one example in a hundred tells apart is not told apart.
EXAMPLES = """

settings.register_profile("mutants", settings.get_profile("headgate"), max_examples=30, derandomize=True)
settings.load_profile("mutants")
"""

SETTINGS = """
[tool.mutmut]
source_paths = ["headgate"]
only_mutate = {only}
also_copy = ["headgate", "scenarios", "crates"]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-k", "not ({slow})"]
pytest_add_cli_args_test_selection = {tests}
use_git_change_detection = false

[tool.pytest.ini_options]
addopts = "-q"
"""


def main() -> int:
    """Runs all mutants, or those of the files named, and prints those that no test notices; 1 if there are any."""
    files = sys.argv[1:] or ["headgate/stats/*.py", "headgate/analysis/*.py"]
    shutil.rmtree(PLACE, ignore_errors=True)
    (PLACE / "tests").mkdir(parents=True)
    shutil.copytree(ROOT / "python/headgate", PLACE / "headgate", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("scenarios", "crates/queue/tests/data"):
        shutil.copytree(ROOT / folder, PLACE / folder)
    for name in ("__init__", "conftest", *TESTS):
        shutil.copy(ROOT / f"tests/{name}.py", PLACE / "tests")
    with (PLACE / "tests/conftest.py").open("a") as file:
        file.write(EXAMPLES)
    shutil.copy(ROOT / "tests/mutants/doctests.py", PLACE / "tests/test_doctests.py")
    shutil.copytree(ROOT / "python/headgate", PLACE / "tests/sources/headgate", ignore=lambda *_: ["_core.abi3.so"])
    tests = [f"tests/{name}.py" for name in (*TESTS, "test_doctests")]
    (PLACE / "pyproject.toml").write_text(SETTINGS.format(only=json.dumps(files), tests=json.dumps(tests), slow=SLOW))
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", "run"], cwd=PLACE, env=os.environ | {"PYTHONPATH": ""}, check=False
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
