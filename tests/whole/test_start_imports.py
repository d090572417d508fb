"""What is loaded when a command starts: no wall time, but the packages that it brings with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..conftest import ROOT

#: Calls the command and gives the packages that are no part of Python, as the last line.
STARTED = """
import sys
before = set(sys.modules)
from headgate.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
import json
print()
names = {name.split(".")[0] for name in {*sys.modules} - before} - sys.stdlib_module_names - {"__mp_main__"}
print(json.dumps(sorted(names)))
"""

#: The same with the modules of headgate in place of the packages.
OWN = STARTED.replace('name.split(".")[0]', "name").replace(
    "- sys.stdlib_module_names", '- {n for n in sys.modules if not n.startswith("headgate.")}'
)

#: The same with all modules.
ALL = STARTED.replace('name.split(".")[0]', "name").replace(" - sys.stdlib_module_names", "")

#: What the tables that people read are printed with.
TERMINAL = {"rich", "markdown_it", "mdurl", "pygments"}


def loaded(*args: object, folder: Path, program: str = STARTED, **asked: str) -> set[str]:
    """What a command loads, with these variables besides those of the environment."""
    command, environment = [sys.executable, "-c", program, *map(str, args)], {**os.environ, **asked}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "args",
    [["--help"], ["run", "--help"], ["explore", "--help"], ["replay", "--help"], ["reproduce", "-h"], ["schema"],
     ["quick", "--rate", "9Mbit/s", "--rtt", "9ms", "--flows", "jk_reno", "--print"],
     ["show", ROOT / "scenarios/islands.toml"],
     ["list", "disciplines", "--json"], ["check", ROOT / "scenarios/two-sources.toml"]],
    ids=lambda args: " ".join(Path(a).name for a in args),
)  # fmt: skip
def test_what_needs_no_library_loads_none(args: list[object], tmp_path: Path) -> None:
    assert loaded(*args, folder=tmp_path) == {"headgate", "click"}


@pytest.mark.parametrize(
    ("args", "more"),
    [
        (["list", "disciplines"], TERMINAL),
        (["run", ROOT / "scenarios/two-sources.toml"], {"numpy", *TERMINAL}),
        (["sweep", ROOT / "scenarios/queues-and-rates.toml", "--dry-run"], {"numpy", *TERMINAL}),
        (["replay", ROOT / "scenarios/office.csv", "--queue", "fq", "--rate", "2Mbit/s"], {"numpy", *TERMINAL}),
    ],
    ids=lambda args: args[0] if isinstance(args, list) else "",
)
def test_other_commands_load_no_more_than_they_need(args: list[object], more: set[str], tmp_path: Path) -> None:
    assert loaded(*args, folder=tmp_path) <= {"headgate", "click", *more}


#: What a plain command has no need of, and what takes long to load. The lines of progress need nothing that draws bars.
NEVER = {
    "pydantic",
    "pyarrow",
    "matplotlib",
    "jinja2",
    "scipy",
    "dask",
    "rich.progress",
    "rich.live",
    "importlib.metadata",
    "asyncio",
}


@pytest.mark.parametrize(
    ("args", "most", "more"),
    [
        # Not even what reads the words of other commands.
        (["--version"], 8, {"click", "headgate.cli.group"}),
        (["--help"], 15, {"numpy", "rich", "headgate.base.catalogue"}),
        (["quick", "--help"], 25, {"numpy", "rich", "headgate.quick", "headgate.base.catalogue"}),
        (["evaluate", "--help"], 25, {"numpy", "rich", "headgate.lab.evaluation"}),
        (["sweep", "--help"], 30, {"numpy", "rich", "headgate.sweep"}),
        (["check", ROOT / "scenarios/two-sources.toml"], 45, {"numpy", "rich", "headgate.results"}),
        (["list"], 32, {"numpy", "headgate.papers.model", "headgate.papers.load"}),
        (["list", "disciplines"], 45, {"numpy", "headgate.papers.lists.papers"}),
        (["run", ROOT / "scenarios/two-sources.toml"], 90, {"headgate.quick", "headgate.papers"}),
        (["quick", "9Mbit/s", "9ms", "jk_reno", "--no-phase"], 125, {"headgate.lab", "headgate.papers"}),
    ],
    ids=lambda part: " ".join(Path(a).name for a in part) if isinstance(part, list) else "",
)
def test_a_command_loads_few_modules(args: list[object], most: int, more: set[str], tmp_path: Path) -> None:
    """How many of headgate's own at most, and which of all not at all. Counted, since the time depends on the machine."""
    found = loaded(*args, folder=tmp_path, program=ALL)
    assert not found & (NEVER | more)
    own = {name for name in found if name.partition(".")[0] == "headgate"}
    assert len(own) <= most, sorted(own)


@pytest.mark.parametrize("judge", ["evaluate", "attack", "contract"])
def test_a_judge_without_a_page_draws_nothing(judge: str, tmp_path: Path) -> None:
    """One of so many parts that it has no run: all that a judge does before it submits its first one."""
    words = (judge, "cubic", "--part", "9999/9999", "--out", tmp_path / "part")
    found = loaded(*words, folder=tmp_path, program=ALL)
    assert not found & {"pyarrow", "matplotlib", "jinja2", "headgate.plots", "headgate.comparison", "headgate.explore"}


@pytest.mark.parametrize(
    "line", ["headgate ", "headgate quick --r", "headgate list disciplines f", "headgate reproduce d"]
)
def test_a_completion_loads_neither_tables_nor_numbers(line: str, tmp_path: Path) -> None:
    """It ends each time with an exit, which is no error to be printed."""
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_HEADGATE_COMPLETE": "bash_complete"}
    program = ALL.replace("main()", "sys.argv[0] = 'headgate'; main()")
    found = loaded(folder=tmp_path, program=program, **asked)
    assert "click.shell_completion" in found
    assert not found & {*NEVER, "numpy", "rich", "headgate.quick", "headgate.papers.model"}


def test_a_list_of_papers_draws_and_computes_nothing(tmp_path: Path) -> None:
    """Nor does it read more of a paper than its first file."""
    found = loaded("list", "papers", folder=tmp_path, program=ALL)
    assert not found & {*(NEVER - {"pydantic", "importlib.metadata"}), "numpy", "distributed", "headgate.papers.load"}


#: Counts the pages that the first check of a scenario touches for the first time.
FIRST_CHECK = """
import resource, sys
from headgate import _core
text = sys.argv[1]
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
_core.Resolved(text)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="pages are counted as Linux counts them")
def test_the_first_check_of_a_topology_makes_no_schema_of_all_disciplines() -> None:
    """With that schema for each line of a topology it touched 1,953 pages and took 92 ms; now it is 126 and 1 ms."""
    text = json.dumps(
        {
            "duration": "1s",
            "topology": {"kind": "dumbbell", "hosts": 2, "line": {"rate": "1Mbit/s", "delay": "10ms"}},
            "flows": [{"name": "bulk", "from": "s1", "to": "d1", "control": "cubic"}],
        }
    )
    done = subprocess.run([sys.executable, "-c", FIRST_CHECK, text], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 500


#: The floors of which the tool knows nothing.
UPPER = ("headgate.lab", "headgate.papers")


@pytest.mark.parametrize(
    "args",
    [["--help"], ["run", ROOT / "scenarios/two-sources.toml"], ["run", "--help"], ["list", "disciplines"],
     ["quick", "9Mbit/s", "9ms", "jk_reno"], ["check", ROOT / "scenarios/two-sources.toml"]],
    ids=lambda args: " ".join(Path(a).name for a in args),
)  # fmt: skip
def test_the_tool_loads_no_floor_above_it(args: list[object], tmp_path: Path) -> None:
    found = loaded(*args, folder=tmp_path, program=OWN)
    assert "headgate.cli.group" in found
    assert not {name for name in found if name.startswith(UPPER)}


def test_a_command_of_a_floor_loads_its_own() -> None:
    """So that the test above would notice."""
    assert "headgate.lab.commands.conform" in loaded("conform", "--help", folder=ROOT, program=OWN)


@pytest.mark.parametrize("room", ["evaluation.work", "frame.work"])
def test_a_process_of_runs_loads_nothing_that_reads_or_draws(room: str) -> None:
    """Forms of files are checked by pydantic, which takes as long to load as numpy: once, and not in each worker."""
    program = f"import sys, headgate.lab.{room}; print(*sys.modules)"
    found = {*subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.split()}
    assert f"headgate.lab.{room}" in found
    assert not found & {"pydantic", "pyarrow", "matplotlib", "jinja2", "rich", "click", "headgate.plots"}
