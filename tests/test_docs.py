"""Every command of the README, the tutorial and the how-to pages runs as it stands."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import headgate

from .conftest import ROOT

PAGES = [
    "README.md",
    "docs/tutorial.md",
    "docs/how-to/own-scenario.md",
    "docs/how-to/results.md",
    "docs/how-to/sweep.md",
    "docs/how-to/replay.md",
    "docs/how-to/statistics.md",
    "docs/how-to/compare.md",
    "docs/how-to/reproduce.md",
]


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S)


COMMANDS = sorted(
    {
        line.replace(".venv/bin/", "").split(" #")[0].strip()
        for page in PAGES
        for block in blocks(page, "sh")
        for line in block.splitlines()
        if line.strip()
    }
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for folder in ("scenarios", "tests/data"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "mine.toml").write_text(blocks("docs/how-to/own-scenario.md", "toml")[0])
    return tmp_path


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study that docs/how-to/compare.md looks at."""
    folder = tmp_path_factory.mktemp("study") / "queues"
    headgate.Sweep.from_file(ROOT / "scenarios/queues-and-rates.toml").run(folder)
    return folder


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("headgate")])
def test_commands(command: str, checkout: Path, request: pytest.FixtureRequest) -> None:
    if command.startswith(("headgate compare", "headgate plot")):
        shutil.copytree(request.getfixturevalue("study"), checkout / "out/queues")
    place = {"PATH": f"{sysconfig.get_path('scripts')}:/usr/bin:/bin", "HOME": str(checkout)}
    done = subprocess.run(command, shell=True, cwd=checkout, env=place, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("page", PAGES)
def test_outputs_are_real(page: str, checkout: Path, request: pytest.FixtureRequest) -> None:
    """What stands below a command as text is what the command prints, but for spaces at the ends of lines."""
    if page.endswith("compare.md"):
        shutil.copytree(request.getfixturevalue("study"), checkout / "out/queues")
    pairs = re.findall(r"^```sh\n([^\n]*)\n```\n\n```text\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S)
    for command, text in pairs:
        done = subprocess.run(
            [sys.executable, "-c", "from headgate.cli import main; main()", *shlex.split(command)[1:]],
            cwd=checkout, capture_output=True, text=True, check=True, timeout=300,
        )  # fmt: skip
        assert [line.rstrip() for line in done.stdout.splitlines()] == text.splitlines(), command


def test_other_commands_are_known() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for command in [c for c in COMMANDS if not c.startswith("headgate")]:
        target = re.fullmatch(r"make (\w+)", command)
        assert command == "source activate" or (target and f"\n{target[1]}:" in makefile), command


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks(page: str, checkout: Path, request: pytest.FixtureRequest) -> None:
    if page.endswith("compare.md"):
        shutil.copytree(request.getfixturevalue("study"), checkout / "out/queues")
    for block in blocks(page, "python"):
        subprocess.run([sys.executable, "-c", block], cwd=checkout, check=True, timeout=300)


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / page).read_text("utf-8")):
        if not target.startswith("http"):
            assert ((ROOT / page).parent / target).exists(), target
