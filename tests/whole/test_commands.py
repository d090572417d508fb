"""Commands: a file each, found by its name; and those of other packages, by entry points."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from click.shell_completion import ShellComplete

from headgate.base import floors
from headgate.cli import finding
from headgate.cli.command import GROUPS, Command, argument, missing, option
from headgate.cli.printed import Shape, keys_of

from .. import printed
from ..conftest import ROOT, Cli

NAMES = finding.own_names()


@pytest.mark.parametrize("name", NAMES)
def test_a_command_says_what_it_is(name: str) -> None:
    """Its help, the heading it stands under, and an example that calls it."""
    found = finding.class_of(name)
    assert missing(found) == [], f"{name} has no {missing(found)}"
    assert re.search(rf"\bheadgate {name}\b", found.examples), f"{name}: expected an example of it"
    assert found.group in GROUPS, f"{name}: expected one of {GROUPS}"
    assert not found.page or (ROOT / f"docs/{found.page}.md").is_file(), f"{name}: {found.page} is no page"
    assert not found.question or (found.page and found.question.endswith("?")), (
        f"{name}: expected a page and a question"
    )


def test_help_lists_each_command_once_under_its_heading(cli: Cli) -> None:
    text = cli("--help").stdout
    parts = dict(re.findall(r"^(\S[^\n]*):\n((?:  [^\n]*\n)+)", text, re.M))
    assert [name for name in parts if name != "Options"] == list(GROUPS)
    for name in NAMES:
        assert len(re.findall(rf"^  {name} ", text, re.M)) == 1
        assert re.search(rf"^  {name} ", parts[finding.class_of(name).group], re.M), name


def test_the_list_has_what_the_classes_say_and_loads_none_of_them() -> None:
    listed = finding.Found().listed()
    for name in NAMES:
        whole = finding.Found()[name]
        assert (listed[name].help, listed[name].group) == (whole.help, whole.group), name  # type: ignore[attr-defined]
    code = (
        "import sys; from headgate.cli.group import cli; assert len(cli.commands.listed()) >= 28;"
        "print([m for m in sys.modules if '.commands' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", [n for n in NAMES if "as_json" in finding.class_of(n).__annotations__])
def test_a_command_declares_what_json_prints(name: str) -> None:
    """Each object has a sentence, and each key."""
    forms = finding.class_of(name).prints
    assert forms, f"{name}: declares nothing of its --json; expected `prints`"
    waiting = list(forms.values())
    seen = set()
    while waiting:
        kind = waiting.pop()
        if not (isinstance(kind, type) and issubclass(kind, Shape)):
            waiting += get_args(kind)
        elif kind not in seen:
            seen.add(kind)
            assert (kind.__doc__ or "").endswith((".", "\n    ")), f"{name}: {kind.__name__} has no sentence"
            for key, (inner, said) in keys_of(kind).items():
                assert said.about.endswith("."), f"{name}: {kind.__name__}.{key} has no sentence"
                waiting.append(inner)


def test_the_reference_of_json_and_the_list_of_tools_are_what_the_commands_declare() -> None:
    spec = importlib.util.spec_from_file_location("docs_commands", ROOT / "docs/commands.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text("utf-8") == module.page(), "run `cargo xtask write`"
    assert module.README.read_text("utf-8") == module.readme(), "run `cargo xtask write`"


#: What stands in kept outputs in place of what differs, and of long parts.
LEFT_OUT = re.compile(r"#|\d+ (keys|items|characters) [0-9a-f]{16}")


def test_every_kept_output_is_as_it_was_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of all commands with `--json` in tests/frozen; outputs of other tests are held against it as they come (`conftest.py`)."""
    known = printed.faults

    def faults(value: Any, kind: Any, place: str = "") -> Iterator[str]:
        if not (isinstance(value, str) and LEFT_OUT.fullmatch(value)):
            yield from known(value, kind, place)

    monkeypatch.setattr(printed, "faults", faults)
    looked = set()
    for file in (ROOT / "tests/frozen/outputs").glob("*.json"):
        for line, kept in json.loads(file.read_text("utf-8")).items():
            words = line.split()
            if words[0] != "headgate" or "--json" not in words or file.stem == "bench":
                continue
            if kept["exit"] < 2 and isinstance(kept.get("stdout"), dict | list):
                assert printed.undeclared(words[1], kept["stdout"]) == [], line
                looked.add(words[1])
    assert looked >= {n for n in NAMES if finding.class_of(n).prints} - {"bench"}


def test_what_is_not_declared_is_named() -> None:
    entry = {"name": "a", "source": "b", "parameters": [{"name": "c", "type": "d", "default": None, "description": ""}]}
    assert printed.undeclared("list", [entry]) == []
    assert printed.undeclared("list", [entry | {"more": 1}]) == ["list[0].more: is not declared by EntryJson"]
    assert printed.undeclared("list", [{"name": "a", "source": "b"}]) == [
        "list[0].parameters: declared by EntryJson, and not there"
    ]
    assert printed.undeclared("list", [entry | {"name": None}]) == ["list[0].name: found None; declared as str"]
    assert printed.undeclared("schema", {}) == ["schema: declares nothing of its --json"]


def test_what_is_missing_is_named() -> None:
    class Bare(Command):
        name: str = argument()

    class Half(Command):
        """Does half."""

        group = "Look up"

    assert missing(Bare) == ["help (a docstring)", "group", "examples"]
    assert missing(Half) == ["examples"]


def test_a_command_is_an_object_too() -> None:
    class Sum(Command):
        """Adds."""

        terms: tuple[str, ...] = argument()
        twice: bool = option("Twice.")
        start: int = option("First.", 3, least=0)
        label: str | None = option("Name.")
        needed: str = option("Must be given.", required=True)

    made = Sum(needed="x")
    assert (made.terms, made.twice, made.start, made.label) == ((), False, 3, None)
    with pytest.raises(TypeError, match="needed"):
        Sum()


GREET = '''
from __future__ import annotations

from pathlib import Path

import click

from headgate.cli import shared
from headgate.cli.command import Command, argument, option
from headgate.cli.show import print_json


class Greet(Command):
    """Say hello to NAME."""

    group = "Look up"
    examples = "headgate greet world --times 2"

    name: str = argument()
    times: int = option("How often.", 1, least=1)
    out: Path | None = option("File for the words.")
    seed: int = shared.seed()
    workers: int | None = shared.workers()
    as_json: bool = shared.as_json("the words")

    def run(self) -> int:
        words = ["hello", self.name] * self.times + [str(self.seed)] * (self.seed != 1)
        if self.out is not None:
            self.out.write_text(" ".join([*words, str(self.workers)]))
        print_json(words) if self.as_json else click.echo(" ".join(words))
        return 3


class Bare(Command):
    """Says nothing of itself but this."""
'''


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package beside headgate, as an installer leaves it: its module, and what it says of its entry points."""
    site = tmp_path / "site"
    (site / "greetings-1.0.dist-info").mkdir(parents=True)
    (site / "greetings.py").write_text(GREET)
    (site / "greetings-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: greetings\nVersion: 1.0\n")
    (site / "greetings-1.0.dist-info/entry_points.txt").write_text(
        "[headgate.commands]\ngreet = greetings:Greet\nbare = greetings:Bare\nlost = greetings:Lost\nrun = greetings:Greet\n"
    )
    monkeypatch.syspath_prepend(site)
    from headgate.cli.group import cli

    monkeypatch.setattr(cli, "commands", finding.Found())


@pytest.mark.usefixtures("other")
def test_a_command_of_another_package(cli: Cli, tmp_path: Path) -> None:
    """It has all of its own and of the shared options, in help and completion, too."""
    from headgate.cli.group import cli as group

    done = cli("greet", "world", "--times", 2)
    assert (done.returncode, done.stdout) == (3, "hello world hello world\n")
    assert cli("greet", "you", "--json").stdout == '[\n "hello",\n "you"\n]\n'
    cli("greet", "you", "--seed", 7, "--workers", 2, "--out", "words.txt")
    assert (tmp_path / "words.txt").read_text() == "hello you 7 2"
    shell = ShellComplete(group, {}, "headgate", "_HEADGATE_COMPLETE")
    assert [found.value for found in shell.get_completions([], "gr")] == ["greet"]
    offered = [found.value for found in shell.get_completions(["greet", "x"], "--")]
    assert offered == ["--times", "--out", "--seed", "--workers", "--json", "--help"]
    wrong = cli("greet", "world", "--times", 0)
    assert wrong.returncode == 2 and "0 is not in the range x>=1" in wrong.stderr
    helped = cli("greet", "--help").stdout
    assert "Say hello to NAME." in helped and "  headgate greet world --times 2" in helped
    assert re.search(r"^  greet +Say hello to NAME\.$", cli("--help").stdout, re.M)


@pytest.mark.usefixtures("other")
def test_one_that_cannot_be_loaded_is_named_and_harms_no_other(cli: Cli) -> None:
    for name, what in (("bare", "found no group and no examples"), ("lost", "has no attribute 'Lost'")):
        done = cli(name, "--anything", "at", "all")
        assert done.returncode == 2 and done.stderr.startswith(
            f"error: {name}: greetings:{name.title()} of another package"
        )
        assert what in done.stderr and "Traceback" not in done.stderr
    listed = cli("--help")
    assert listed.returncode == 0 and "  bare " in listed.stdout and "  quick " in listed.stdout
    # A command of headgate stays what it is.
    assert "Simulate the scenario in FILE" in cli("run", "--help").stdout


def test_the_readme_shows_a_command_that_works(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written into a file of a floor's folder of commands, it is found by the file's name."""
    text = (ROOT / "python/headgate/cli/README.md").read_text("utf-8")
    code = "\n".join(line[4:] for line in text.splitlines() if line.startswith("    ") or not line)
    assert "class GreetCommand(Command)" in code
    folder = tmp_path / "lab/commands"
    folder.mkdir(parents=True)
    (folder / "greet.py").write_text(code)
    monkeypatch.setattr(floors, "PACKAGE", tmp_path)
    import headgate.lab.commands as package

    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    from headgate.cli.group import cli as group

    monkeypatch.setattr(group, "commands", finding.Found())
    done = cli("greet", "world", "--times", 2)
    assert (done.returncode, done.stdout) == (0, "hello world hello world\n"), done.stderr
    assert finding.own_names() == ["greet"]
