"""A scenario in a link: what goes in comes out, what is damaged is an error, and the terminal prints what the page reads."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headgate.plugins
from headgate.base.errors import HeadgateError
from headgate.explore.subject import subject_of
from headgate.plugins import CodeError, trust
from headgate.scenario import links
from headgate.scenario.examples import examples
from headgate.scenario.links import fragment_of, link_of, linked, parts_of, scenario_in
from headgate.scenario.scenario import Scenario

from ..conftest import ROOT, Cli

#: Whatever a scenario file may hold.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
DATA = st.dictionaries(
    TEXTS,
    st.recursive(
        st.one_of(st.booleans(), st.integers(-(2**63), 2**63), st.floats(allow_nan=False, allow_infinity=False), TEXTS),
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
        max_leaves=20,
    ),
    max_size=6,
)

SITE = "https://example.org/headgate/"


@given(DATA)
def test_a_link_holds_the_whole_scenario(data: dict[str, Any]) -> None:
    fragment = fragment_of(data)
    assert set(fragment) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    assert scenario_in(fragment) == data


def packed(text: bytes, end: int = zlib.Z_FINISH, after: bytes = b"") -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(packer.compress(text) + packer.flush(end) + after).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "fragment",
    ["!", "a", "AAAA", "x" * 2_000_001, packed(b"[]"), packed(b"{"), packed(b"[" * 100_000), packed(b" " * 9_000_000),
     packed(b'{"a": 1}')[:-4], packed(b'{"a": 1}', zlib.Z_SYNC_FLUSH), packed(b"\xff"), "ü", packed(b'{"a": NaN}'),
     packed(b'{"a": Infinity}'), packed(b'{"a": 1}', after=b"more"), packed(b'{"a": "\\ud800"}'), packed(b'{"a": 1} x')],
    ids=lambda f: f[:12],
)  # fmt: skip
def test_a_damaged_link_is_an_error(fragment: str) -> None:
    with pytest.raises(HeadgateError, match=r"expected a (link|scenario)"):
        scenario_in(fragment)
    with pytest.raises(HeadgateError, match=r"^#s="):
        linked(f"#s={fragment}")


@given(DATA, st.data())
def test_a_link_that_is_cut_or_changed_is_an_error_or_another_scenario(
    data: dict[str, Any], more: st.DataObject
) -> None:
    fragment = fragment_of(data)
    at = more.draw(st.integers(0, len(fragment) - 1))
    # Each end of two characters or more is part of the compressed text, whose end is marked within its last byte.
    with pytest.raises(HeadgateError):
        scenario_in(fragment[: min(at, len(fragment) - 2)])
    with contextlib.suppress(HeadgateError):
        assert isinstance(scenario_in(fragment[:at] + more.draw(st.characters()) + fragment[at + 1 :]), dict)


def test_a_link_that_unpacks_to_gigabytes_takes_a_few_megabytes() -> None:
    """Deflate packs 1 GB of one character into 1 MB (1032 to 1, RFC 1951); 8 MB of it are unpacked."""
    packer, parts = zlib.compressobj(9, zlib.DEFLATED, -15), []
    block = b" " * 10_000_000
    for _ in range(100):
        parts.append(packer.compress(block))
    fragment = base64.urlsafe_b64encode(b"".join([*parts, packer.flush()])).rstrip(b"=").decode()
    assert 1_200_000 < len(fragment) < links.LONGEST
    tracemalloc.start()
    try:
        with pytest.raises(HeadgateError, match="at most 8 MB in the link"):
            scenario_in(fragment)
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("file", [e.file for e in examples() if e.file.suffix == ".toml"], ids=lambda f: f.stem)
def test_the_link_of_an_example_is_the_example(file: Path, cli: Cli) -> None:
    """With the contents of the files that it names. All are below 4,000 characters."""
    done = cli("run", file, "--base", "--link", "--site", SITE)
    assert (done.returncode, done.stderr) == (0, "")
    link = done.stdout.strip()
    assert link.startswith(f"{SITE}#s=") and len(link) < 4000
    assert linked(link).data == Scenario.from_file(file).base().data


def test_a_link_runs_as_its_file_does(cli: Cli) -> None:
    """The digest of the run is that of the file with the changes of the command that printed the link."""
    changed = ("--seed", "7", "--set", "interval=20s", "--set", "duration=20s", "--set", "warm_up=1s")
    file = ROOT / "scenarios/two-sources.toml"
    link = json.loads(cli("run", file, *changed, "--link", "--site", SITE, "--json").stdout)
    assert link["characters"] == len(link["link"])
    of_file, of_link = (json.loads(cli("run", *args, "--json").stdout) for args in ((file, *changed), (link["link"],)))
    assert of_link["digest"] == of_file["digest"]
    # A path in which `//` became `/`, another part, and the fragment alone.
    fragment = link["link"].partition("#")[2]
    for text in (f"{SITE}?t=1#at=3&{fragment}", f"#{fragment}"):
        assert json.loads(cli("check", text).stdout) == json.loads(cli("check", link["link"]).stdout)


def test_quick_prints_the_link_of_what_it_would_run(cli: Cli, tmp_path: Path) -> None:
    words = ("quick", "home", "bulk", "game")
    (tmp_path / "line.toml").write_text(cli(*words, "--print").stdout)
    done = cli(*words, "--link")
    assert linked(done.stdout.strip()).data == Scenario.from_file(tmp_path / "line.toml").data
    assert "--site or HEADGATE_SITE" in done.stderr
    several = json.loads(cli(*words, "--queue", "fifo,fq", "--link", "--json", "--site", SITE).stdout)
    assert [one["value"] for one in several] == ["fcfs", "fq"]
    kinds = [linked(one["link"]).resolve()["links"][0]["queue"]["kind"] for one in several]
    assert kinds == ["fcfs", "fq"]


def test_the_rate_of_other_tools_is_not_the_link(cli: Cli) -> None:
    for words in (("--link", "10M"), ("--link=10M",)):
        done = cli("quick", *words, "20ms", "bulk", "--print")
        assert done.returncode == 0 and "10Mbit/s" in done.stdout, done.stderr


def test_the_site_may_stand_in_the_environment(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_SITE", SITE)
    assert cli("quick", "home", "bulk", "--link").stdout.startswith(f"{SITE}#s=")
    assert cli("quick", "home", "bulk", "--link", "--site", "file:///a/index.html").stdout.startswith(
        "file:///a/index.html#s="
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--site", "example.org"), "--site: found 'example.org'; expected the address of a page without #"),
        (("--site", "https://example.org/#a"), "expected the address of a page without #"),
        (("--site", "https://exa mple.org/"), "expected the address of a page without #"),
        (("--site", "javascript:alert(1)"), "expected the address of a page"),
        (("--seed", str(2**53)), f"seed: found {2**53}; expected at most {2**53 - 1} in a link"),
        (("--replications", "3"), "--replications: found 3; expected 1 with --link"),
        (("--shaper", "sweep"), "--link: found --shaper sweep; expected one rate"),
    ],
)  # fmt: skip
def test_what_no_link_can_hold_is_an_error(args: tuple[str, ...], said: str, cli: Cli) -> None:
    done = cli("quick", "home", "bulk", "game", "--link", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_scenario_that_is_wrong_has_no_link(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text('duration = "1 sec"\n')
    done = cli("run", tmp_path / "wrong.toml", "--link")
    assert (done.returncode, done.stdout) == (2, "") and "duration: found" in done.stderr


def test_a_link_that_no_browser_opens_is_not_made(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    scenario = next(e.file for e in examples() if e.name == "lossy-links")
    length = len(fragment_of(Scenario.from_file(scenario).data)) + len("#s=")
    monkeypatch.setattr(links, "TYPED", length - 1)
    assert f"the link has {length:,} characters" in cli("run", scenario, "--link").stderr
    monkeypatch.setattr(links, "MOST", length - 1)
    done = cli("run", scenario, "--link")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{length:,} characters; expected at most {length - 1:,}" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("#s=abc", "#s=abc: expected a link that holds a scenario; this one is damaged or cut off"),
        ("#page=lessons", "#page=lessons: expected a link that holds a scenario, with #s="),
        ("https://example.org/#", "#: expected a link that holds a scenario"),
        (f"#s={packed(b'[]')}", "expected a link that holds a scenario"),
        (f"#s={fragment_of({'duration': '1 sec'})}", "duration: found"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["run", "check", "show", "explore"])
def test_a_wrong_link_is_an_error(command: str, link: str, said: str, cli: Cli) -> None:
    done = cli(command, link)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())


def test_the_page_begins_with_the_scenario_of_a_link() -> None:
    scenario = Scenario.from_file(ROOT / "scenarios/two-sources.toml")
    subject = subject_of(Path(link_of(scenario, SITE)))
    assert isinstance(subject.scenario, Scenario)
    assert (subject.kind, subject.title, subject.scenario.data) == ("scenario", scenario.data["name"], scenario.data)


def test_a_link_brings_no_code(cli: Cli, tmp_path: Path) -> None:
    """Neither is it written into one, nor does one that was made by hand run."""
    mine = ROOT / "python/headgate/plugins/examples/aimd.py"
    (tmp_path / "mine.toml").write_text(cli("quick", "home", mine, "--print").stdout)
    done = cli("run", tmp_path / "mine.toml", "--link")
    assert (done.returncode, done.stdout) == (2, "") and "found plugins or programs" in done.stderr
    data = Scenario.from_file(tmp_path / "mine.toml", [mine.parent]).data
    by_hand = f"#s={fragment_of(data)}"
    # What the first command was given may run in this process.
    headgate.plugins.unload()
    trust.forget()
    for command in ("run", "explore"):
        done = cli(command, by_hand)
        assert (done.returncode, done.stdout) == (2, "") and "it would run code" in " ".join(done.stderr.split())
    with pytest.raises(CodeError):
        subject_of(Path(by_hand))
    assert "found a link; expected a file" in cli("trust", by_hand).stderr


def test_a_link_reads_no_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "times.txt").write_text("1\n2\n")
    data = Scenario.from_file(ROOT / "scenarios/game.toml").set("duration", "1s").data
    data["topology"]["line"]["rate"] = {"kind": "mahimahi", "file": str(tmp_path / "times.txt")}
    done = cli("check", f"#s={fragment_of(data)}")
    assert done.returncode == 2 and "rate" in done.stderr


def test_parts_of_a_link_are_those_of_the_page() -> None:
    assert parts_of(f"{SITE}?a=b#page=x%20y&s=abc&at") == {"page": "x y", "s": "abc", "at": ""}


def test_the_page_has_the_same_limits() -> None:
    """web/src/link.ts cannot import them."""
    text = (ROOT / "web/src/link.ts").read_text()
    found = {
        name: int(value.replace("_", "")) for name, value in re.findall(r"^export const (\w+) = ([\d_]+);", text, re.M)
    }
    assert found == {
        "LONGEST": links.LONGEST, "LONGEST_TEXT": links.LONGEST_TEXT, "MOST": links.MOST, "TYPED": links.TYPED,
    }  # fmt: skip
