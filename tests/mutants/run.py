"""Mutants of headgate.stats and of formulas: each small change to the code, and whether a test notices. Run by `make mutants-python`.

mutmut plants the changes. It would start pytest again for each of them; here one process collects the tests and is then forked for each
mutant, and the child runs those tests alone that call the changed function, the quick ones first. The package and its tests are copied
for it below `.cache/mutants`. Doctests are tests too, but mutmut copies each docstring to every mutant of its function: they are
run from the sources as they stand (`doctests.py`).
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import json
import os
import re
import resource
import shutil
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / ".cache/mutants"

#: Tests of these two packages. Those of whole papers are left out: they take long and are about the papers.
TESTS = (
    "test_stats", "test_stats_exact", "test_theory", "test_fluid", "test_packet_pair_theory", "test_fairness", "test_chapter4",
    "test_chapter5", "test_analysis_exact", "test_control_exact", "test_red_theory", "test_csfq_theory",
    "test_self_similarity",
)  # fmt: skip
PAPERS = "report or claim"
#: Fewer examples of each property than elsewhere, the same for each mutant; and none that is only there to make a failure shorter.
EXAMPLES = """

from hypothesis import Phase

settings.register_profile(
    "mutants", settings.get_profile("headgate"), max_examples=30, derandomize=True, database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("mutants")
"""
#: Seconds of processor time for the tests of one mutant, besides three times what they take as the code stands.
PATIENCE = 3


@dataclass(frozen=True)
class Mutant:
    """One changed copy of a function."""

    module: str
    name: str
    function: str
    change: str


def plain(code: str) -> str:
    """The source with cached functions and properties made of plain functions: mutmut leaves out what is decorated."""
    lines = code.splitlines()
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.FunctionDef(decorator_list=[ast.Name(id="cache" | "property" as mark)], name=name):
                lines[node.lineno - 2] = ""
                lines[node.lineno - 1] = lines[node.lineno - 1].replace(f"def {name}(", f"def get_{name}(")
                lines[node.end_lineno - 1] += f"\n\n{' ' * node.col_offset}{name} = {mark}(get_{name})"
    return "\n".join(lines) + "\n"


def plant(module: str, file: Path) -> list[Mutant]:
    """Writes all mutants into a file of the copy."""
    from mutmut.mutation.file_mutation import mutate_file_contents

    done = mutate_file_contents(str(file), plain(file.read_text("utf-8")))
    code = done.code.replace(
        "from mutmut.mutation.trampoline import wrap_in_trampoline as _mutmut_mutated, MutantDict",
        "from switch import MutantDict, switch as _mutmut_mutated",
    )
    file.write_text(code, "utf-8")
    lines = code.splitlines()
    mutants = []
    for name in done.mutant_names:
        function = name.rpartition("_")[0]
        old, new = (
            [re.sub(r"__mutmut_(\w+)", "", x) for x in lines[s.start - 1 : s.end]]
            for s in (done.line_span_by_function_name[n] for n in (f"{function}_orig", name))
        )
        changed = [
            x for x in difflib.unified_diff(old, new, n=0, lineterm="") if not x.startswith(("---", "+++", "@@"))
        ]
        mutants.append(Mutant(module, name, function, "\n".join(changed)))
    return mutants


def in_child(work: Callable[[], int], out: Path) -> int:
    """Forks, does the work with its output in a file, and ends with its number."""
    if pid := os.fork():
        return pid
    code = 3
    try:
        with out.open("w") as file:
            for number in (1, 2):
                os.dup2(file.fileno(), number)
            code = work()
    finally:
        os._exit(code)


class Judge:
    """Takes the place of pytest's loop over the tests."""

    def __init__(self, mutants: list[Mutant], workers: int) -> None:
        self.mutants, self.workers = mutants, workers
        self.verdicts: dict[Mutant, str] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        import switch

        # What each test calls and how long it takes.
        tests: dict[tuple[str, str], list[tuple[float, pytest.Item]]] = defaultdict(list)
        note = PLACE / "note"
        for item in session.items:

            def look(item: pytest.Item = item) -> int:
                switch.forget()
                switch.called.clear()
                start = time.process_time()
                if any(r.failed for r in runtestprotocol(item, log=False, nextitem=None)):
                    return 1
                note.write_text(json.dumps([time.process_time() - start, sorted(switch.called)]))
                return 0

            if os.waitpid(in_child(look, PLACE / "out"), 0)[1]:
                raise pytest.UsageError(f"{item.nodeid} fails as the code stands")
            took, called = json.loads(note.read_text())
            for module, function in called:
                tests[module, function].append((took, item))
        running: dict[int, Mutant] = {}
        for mutant in self.mutants:
            own = sorted(tests[mutant.module, mutant.function], key=lambda x: x[0])

            def judge(mutant: Mutant = mutant, own: list[tuple[float, pytest.Item]] = own) -> int:
                limit = int(PATIENCE + 3 * sum(t for t, _ in own))
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
                switch.forget()
                switch.choose(mutant.module, mutant.name)
                return int(any(r.failed for _, i in own for r in runtestprotocol(i, log=False, nextitem=None)))

            running[in_child(judge, PLACE / f"out{len(running)}")] = mutant
            if len(running) == self.workers:
                self.wait(running)
        while running:
            self.wait(running)
        return True

    def wait(self, running: dict[int, Mutant]) -> None:
        """Until one of them has ended."""
        pid, status = os.wait()
        code = os.waitstatus_to_exitcode(status)
        verdict = {0: "survived", 1: "caught"}.get(code, "out of time" if code < 0 else "broken")
        self.verdicts[running.pop(pid)] = verdict
        print(f"\r{len(self.verdicts)} of {len(self.mutants)}", end="", file=sys.stderr, flush=True)


def main() -> int:
    """Judges all mutants, those of the files named or those named, and prints what no test notices; 1 if there is any."""
    files = [x for x in sys.argv[1:] if x.endswith(".py")] or [
        f"headgate/{folder}/*.py" for folder in ("stats", "analysis", "papers/formulas")
    ]
    names = {x for x in sys.argv[1:] if not x.endswith(".py")}
    shutil.rmtree(PLACE, ignore_errors=True)
    (PLACE / "tests").mkdir(parents=True)
    shutil.copytree(ROOT / "python/headgate", PLACE / "headgate", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("scenarios", "crates/queue/tests/data"):
        shutil.copytree(ROOT / folder, PLACE / folder)
    for name in ("__init__", "conftest", "studies"):
        shutil.copy(ROOT / f"tests/{name}.py", PLACE / "tests")
    for name in TESTS:
        file = next((ROOT / "tests").glob(f"*/{name}.py"))
        floor = PLACE / "tests" / file.parent.name
        floor.mkdir(exist_ok=True)
        shutil.copy(file.parent / "__init__.py", floor)
        shutil.copy(file, floor)
    with (PLACE / "tests/conftest.py").open("a") as file:
        file.write(EXAMPLES)
    shutil.copy(ROOT / "tests/mutants/doctests.py", PLACE / "tests/test_doctests.py")
    shutil.copytree(ROOT / "python/headgate", PLACE / "tests/sources/headgate", ignore=lambda *_: ["_core.abi3.so"])
    (PLACE / "pytest.ini").write_text("[pytest]\n")
    os.chdir(PLACE)
    # mutmut looks for settings where it is started.
    (PLACE / "pyproject.toml").write_text('[tool.mutmut]\nsource_paths = ["headgate"]\n')
    mutants = []
    for file in sorted({f for pattern in files for f in Path().glob(pattern)}):
        mutants += plant(".".join(file.with_suffix("").parts), file)
    mutants = [m for m in mutants if not names or f"{m.module}.{m.name}" in names]
    sys.path[:0] = [str(PLACE), str(Path(__file__).parent)]
    judge = Judge(mutants, int(os.environ.get("WORKERS", os.cpu_count() or 1)))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        done = pytest.main(["-q", "-s", "-p", "no:cacheprovider", "-k", f"not ({PAPERS})", "tests"], plugins=[judge])
    if done != pytest.ExitCode.OK:
        print(said.getvalue())
        return 2
    for mutant, verdict in judge.verdicts.items():
        if verdict != "caught":
            print(f"{verdict}: {mutant.module}.{mutant.name}\n{mutant.change}\n")
    for module in sorted({m.module for m in mutants}):
        counts = Counter(v for m, v in judge.verdicts.items() if m.module == module)
        print(
            f"{module}: {counts.total()} mutants,", ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items()))
        )
    return int("survived" in judge.verdicts.values())


if __name__ == "__main__":
    sys.exit(main())
