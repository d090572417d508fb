"""Every command of the README, the tutorial and the how-to pages runs as it stands."""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

import headgate

from .. import prose
from ..conftest import ROOT, Cli

PAGES = [
    "README.md",
    "docs/index.md",
    "docs/tutorial.md",
    "docs/packet-pair.md",
    "docs/how-to/quick.md",
    "docs/how-to/sqm.md",
    "docs/how-to/own-scenario.md",
    "docs/how-to/links.md",
    "docs/how-to/cite.md",
    "docs/how-to/artifact.md",
    "docs/how-to/results.md",
    "docs/how-to/export-a-run.md",
    "docs/how-to/sweep.md",
    "docs/how-to/replay.md",
    "docs/how-to/statistics.md",
    "docs/how-to/compare.md",
    "docs/how-to/reproduce.md",
    "docs/how-to/matrix.md",
    "docs/how-to/game.md",
    "docs/how-to/your-own-control.md",
    "docs/how-to/evaluate.md",
    "docs/how-to/referee.md",
    "docs/how-to/attack.md",
    "docs/how-to/contract.md",
    "docs/how-to/buffer.md",
]


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S)


#: Blocks that are files: their first line is a comment with the name. The last one of a name counts.
NAMED = re.compile(r"# (\w+\.(?:py|toml|case))\n")


def files(page: str) -> dict[str, str]:
    """The files that a page has its readers write."""
    found = [block for language in ("python", "toml") for block in blocks(page, language)]
    return {name[1]: block for block in found if (name := NAMED.match(block))}


COMMANDS = sorted(
    {
        line.replace(".venv/bin/", "").split(" #")[0].strip()
        for page in PAGES
        for block in blocks(page, "sh")
        for line in block.splitlines()
        if line.strip()
    }
)


def shown(page: str) -> list[tuple[str, str]]:
    """Commands of a page with the text below them."""
    return re.findall(r"^```sh\n([^\n]*)\n```\n\n```text\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S)


COMPARED = {command for page in PAGES for command, _ in shown(page)}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for folder in ("scenarios", "tests/data"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "mine.toml").write_text(blocks("docs/how-to/own-scenario.md", "toml")[0])
    for page in ("your-own-control", "referee", "attack", "evaluate"):
        for name, text in files(f"docs/how-to/{page}.md").items():
            (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study of docs/how-to/compare.md."""
    folder = tmp_path_factory.mktemp("study") / "queues"
    headgate.Sweep.from_file(ROOT / "scenarios/queues-and-rates.toml").run(folder)
    return folder


#: What is judged fails, or is broken.
FAILING = ("careless.py", "headgate attack bbr1", "headgate diff two-qlog")

#: The explorer runs until it is stopped; it has tests of its own.
ALONE = {c for c in COMMANDS if c.startswith("headgate") and not c.startswith("headgate explore")} - COMPARED


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(ALONE))
def test_commands(command: str, checkout: Path, cli: Cli, request: pytest.FixtureRequest) -> None:
    if command.startswith(("headgate compare", "headgate plot")):
        shutil.copytree(request.getfixturevalue("study"), checkout / "out/queues")
    if command.startswith("headgate diff two-qlog"):
        assert cli("run", "scenarios/two-sources.toml", "--qlog", "two-qlog").returncode == 0
    if command.startswith("headgate artifact --check"):
        assert (
            cli("artifact", "scenarios/two-sources.toml", "--no-figures", "--out", command.split()[-1]).returncode == 0
        )
    if command.startswith("headgate plot out/beside"):
        assert cli("sweep", "beside.toml", "--out", "out/beside", "--allow-code").returncode == 0
    done = cli(*shlex.split(command)[1:])
    # What is judged fails there.
    assert done.returncode == any(part in command for part in FAILING), done.stderr
    assert done.stdout


def test_the_installed_command_starts() -> None:
    script = Path(sysconfig.get_path("scripts")) / "headgate"
    done = subprocess.run([script, "--version"], capture_output=True, text=True)
    assert done.stdout == f"headgate, version {headgate.__version__}\n", done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_outputs_are_real(page: str, checkout: Path, cli: Cli, request: pytest.FixtureRequest) -> None:
    """What stands below a command as text is what it prints, but for spaces at the ends of lines and lines left out (`...`)."""
    if page.endswith("compare.md"):
        shutil.copytree(request.getfixturevalue("study"), checkout / "out/queues")
    for command, text in shown(page):
        done = cli(*shlex.split(command)[1:])
        assert done.returncode == 0, done.stderr
        pattern = "".join(r"(.*\n)*" if line == "..." else re.escape(line) + "\n" for line in text.splitlines())
        assert re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())), done.stdout


def test_other_commands_are_known() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for command in [c for c in COMMANDS if not c.startswith("headgate")]:
        target = re.fullmatch(r"make ([\w-]+)", command)
        assert command == "source activate" or (target and f"\n{target[1]}:" in makefile), command


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_python_blocks(page: str, checkout: Path, request: pytest.FixtureRequest) -> None:
    if page.endswith("compare.md"):
        shutil.copytree(request.getfixturevalue("study"), checkout / "out/queues")
    for block in blocks(page, "python"):
        if NAMED.match(block):
            continue
        with contextlib.chdir(checkout):
            exec(compile(block, page, "exec"), {"__name__": "__main__"})


def links(page: str) -> list[str]:
    """The files and folders to which a page links."""
    found = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / page).read_text("utf-8"))
    return [target for target in found if not target.startswith("http")]


#: What a developer reads: the two pages at the top, and a recipe in each folder to which things are added.
GUIDES = [
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    *(page for page in links("CONTRIBUTING.md") if page.endswith("/README.md")),
]


@pytest.mark.parametrize("page", [*PAGES, *GUIDES, "docs/how-to/install.md", "docs/statement-of-need.md"])
def test_links_lead_somewhere(page: str) -> None:
    for target in links(page):
        assert ((ROOT / page).parent / target).exists(), target


#: A folder or file of the repository as the guides write it: from the top, or from the folder of the guide.
NAMED_PATH = re.compile(r"`((?:\.\./|\w+/)+[\w.-]*)`")


#: Parts of paths that stand for what the reader or a command writes.
WRITTEN = {"NAME", "FAMILY", "PAPER", "mypaper", "out", "corpus"}


@pytest.mark.parametrize("page", GUIDES)
def test_paths_in_the_guides_exist(page: str) -> None:
    for name in NAMED_PATH.findall((ROOT / page).read_text("utf-8")):
        if not WRITTEN & set(re.split(r"[/.-]", name)):
            assert any((place / name).exists() for place in (ROOT, (ROOT / page).parent)), name


def test_the_guides_are_short() -> None:
    """A newcomer reads the two pages at the top, and one recipe; only that of papers has files to copy."""
    assert len((ROOT / "CONTRIBUTING.md").read_bytes()) <= 6 * 1024
    assert len((ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines()) <= 150


def test_lines_of_prose_are_at_most_100_wide() -> None:
    found = {
        str(page.relative_to(ROOT)): lines for page in prose.pages() if (lines := prose.wide(page.read_text("utf-8")))
    }
    assert not found, f"{found}; run `python tests/prose.py`"


def test_a_paragraph_that_is_broken_again_renders_as_before() -> None:
    word = "words and"
    text = (
        f"# {word * 20}\n\n- {f'{word} ' * 12}`code that stays {'x ' * 50}`\n  [link](a.md) - 5. {f'{word} ' * 12}\n\n"
        f"> {f'{word} ' * 15}<!-- name -->{f'{word} ' * 14}<!-- end --> # no heading\n\n```\n{word * 20}\n```\n\n"
        f"| {word * 20} |\n| --- |\n| {word * 20} |\n\n{f'{word} ' * 15}  \n{f'{word} ' * 15}\n"
    )
    new = prose.narrow(text)
    assert prose.rendered(new) == prose.rendered(text) and not prose.wide(new) and len(prose.wide(text)) == 2
    kept = {f"`code that stays {'x ' * 50}`", f"<!-- name -->{f'{word} ' * 14}<!-- end -->", word * 20, f"{word} " * 14}
    assert all(len(line) <= 100 or any(part in line for part in kept) for line in new.split("\n"))
    # None begins with what would be another thing there.
    assert "\n> # no" not in new and "\n  - 5." not in new and f"<!-- name -->{f'{word} ' * 14}<!-- end -->" in new


def test_the_citation_names_this_version() -> None:
    assert f"\nversion: {headgate.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_readme_has_the_speeds_that_were_measured() -> None:
    """Least and greatest of the offered packets of the workloads over one line (all but W6), in millions per second."""
    page = (ROOT / "docs/performance.md").read_text("utf-8")
    offered = [float(x) for x in re.findall(r"^\| W[1-5] \| \w+ \| \d+ \| ([\d.]+) \|", page, re.M)]
    assert len(offered) > 10
    said = re.findall(r"(\d+) to (\d+) million packets per second", (ROOT / "README.md").read_text("utf-8"))
    assert said == [(f"{min(offered):.0f}", f"{max(offered):.0f}")]


def last_parts(scenario: headgate.Scenario) -> dict[int, list[tuple[float, float]]]:
    """Throughput and round trip of both sources in the last 20 s before each change of scenarios/packet-pair.toml."""
    t = scenario.run().intervals
    rows = {start: (t["start_s"] == start) & (t["received"] > 0) for start in (40, 100, 160, 220)}
    return {k: list(zip(t["unique"][r] / 20, t["rtt_mean_s"][r], strict=True)) for k, r in rows.items()}


def test_the_numbers_of_the_page_on_packet_pair() -> None:
    page = (ROOT / "docs/packet-pair.md").read_text("utf-8")
    base = headgate.Scenario.from_file(ROOT / "scenarios/packet-pair.toml")
    rows = re.findall(r"^\| (\d+) \| all of the link \| ([\d.]+) s \| ([\d.]+) s \| ([\d.]+) s \|$", page, re.M)
    assert [r[0] for r in rows] == ["1", "2", "5", "10"]
    for setpoint, *delays in rows:
        parts = last_parts(base.set("flows.*.control.setpoint", int(setpoint)))
        for start, line, delay in zip((40, 100, 160), (10, 10, 5), delays, strict=True):
            assert abs(sum(pps for pps, _ in parts[start]) - line) < 0.01
            assert abs(sum(rtt for _, rtt in parts[start]) / len(parts[start]) - float(delay)) < 0.0151
    # "Both sources get exactly half, and nothing was dropped"; over FCFS round trips of 6 to 7 s, and this number of drops.
    halves = last_parts(base)
    assert [pps for start in (100, 160, 220) for pps, _ in halves[start]] == [5, 5, 2.5, 2.5, 5, 5]
    fcfs = base.set("links.slow.queue.kind", "fcfs")
    assert all(6 <= rtt < 7.3 for start in (100, 220) for _, rtt in last_parts(fcfs)[start])
    drops = [int(s.run().intervals["drops"].sum()) for s in (base, fcfs)]
    assert drops == [0, int(re.findall(r"(\d+) packets are dropped", page)[0])]


def test_the_page_on_links_shows_its_scenario() -> None:
    assert blocks("docs/how-to/links.md", "toml")[0] in (ROOT / "scenarios/lossy-links.toml").read_text("utf-8")
