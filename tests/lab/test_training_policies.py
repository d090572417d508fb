"""Policies as flow controls: saved, learned, measured; the command and its page."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import headgate
from headgate import plugins
from headgate.base.errors import install_line
from headgate.lab import training
from headgate.lab.training import learning, ranges
from headgate.lab.training.policy import LearnedPolicy
from headgate.lab.training.utility import Utility

from ..conftest import ROOT
from ..episodes import SHORT, cleaned, episode, some_policy

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

PAGE = ROOT / "docs/how-to/train-a-control.md"


@pytest.fixture(autouse=True)
def _clean():
    yield from cleaned()


@pytest.fixture
def few(monkeypatch):
    """Learning takes a moment."""
    for name, value in (("CANDIDATES", 4), ("BEST", 2), ("SCENARIOS", 2)):
        monkeypatch.setattr(learning, name, value)


@pytest.mark.slow
@pytest.mark.parametrize(("step", "outputs"), [("round", 1), ("25ms", 1), ("round", 2), ("25ms", 2)])
def test_a_saved_policy_does_as_a_flow_control_what_it_does_in_the_environment(tmp_path, step, outputs):
    policy = some_policy(step, outputs)
    policy.save(tmp_path / "policy.json")
    assert LearnedPolicy.load(tmp_path / "policy.json") == policy
    policy.write_plugin(tmp_path / "policy.py", "mine")
    actions = "window" if outputs == 1 else "window+rate"
    # With timeouts too.
    values = {"duration": "2500ms", "loss": [0.01, 0.2], "rate": "1Mbit/s ... 3Mbit/s log"}
    timeouts = 0
    for seed in range(4):
        env = training.CongestionControl(ranges=values, step=step, actions=actions)
        rows = episode(env, policy, seed=seed)
        about = rows[0][1]
        timeouts += sum(observed[6] for observed, _, _ in rows)
        scenario = ranges.line(about["values"], ["flow_0"]).put("flows.flow_0.control", "mine")
        (tmp_path / "scenario.json").write_text(json.dumps({**scenario.data, "plugins": ["policy.py"]}))
        results = headgate.Scenario.from_file(tmp_path / "scenario.json", allow_code=True).run(seed=about["seed"])
        assert results.digest == rows[-1][1]["digest"]
    assert timeouts > 0


@pytest.mark.parametrize("activation", ["softsign", "relu", "tanh"])
def test_a_network_computes_what_numpy_does(activation):
    random = np.random.default_rng(2)
    layers = [
        (random.normal(size=(5, 12)).tolist(), random.normal(size=5).tolist()),
        (random.normal(size=(1, 5)).tolist(), random.normal(size=1).tolist()),
    ]
    policy = LearnedPolicy(layers, activation)
    x = random.uniform(-1, 1, 12).astype(np.float32)
    functions = {"softsign": lambda y: y / (1 + abs(y)), "relu": lambda y: np.maximum(y, 0), "tanh": np.tanh}
    hidden = functions[activation](np.array(layers[0][0]) @ x.astype(float) + layers[0][1])
    last = np.array(layers[1][0]) @ hidden + layers[1][1]
    assert policy(x) == pytest.approx(last / (1 + abs(last)), rel=1e-6)
    space = {}
    exec(compile(policy.text(), "policy.py", "exec", dont_inherit=True), space)
    assert space["NETWORK"]([float(v) for v in x]) == [float(policy(x)[0])]


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], r"layers: found \[\]"),
        ([([[0.0] * 11], [0.0])], r"layers\[0\]: .*expected 12 weights"),
        ([([[0.0] * 12], [0.0, 0.0])], r"layers\[0\]"),
        ([([[float("inf")] * 12], [0.0])], r"layers\[0\]: expected finite numbers"),
        ([([[0.0] * 12] * 3, [0.0] * 3)], "found 3 outputs"),
        ([([[0.0] * 12, [0.0]], [0.0])], r"layers\[0\]"),
        ([5], r"layers\[0\]"),
    ],
)
def test_layers_that_do_not_fit(layers, message):
    with pytest.raises(headgate.HeadgateError, match=message):
        LearnedPolicy(layers)


def test_files_that_are_no_policies(tmp_path):
    file = tmp_path / "p.json"
    for text in ("", "[]", '{"layers": 5}', '{"layer": []}', '{"layers": [], "more": 1}', "[" * 100_000):
        file.write_text(text)
        with pytest.raises(headgate.HeadgateError, match=r"p\.json"):
            LearnedPolicy.load(file)
    with pytest.raises(headgate.HeadgateError, match=r"nowhere\.json"):
        LearnedPolicy.load(tmp_path / "nowhere.json")
    for name in ("Learned", "a b", "cubic", ""):
        with pytest.raises(headgate.HeadgateError, match="name: found"):
            some_policy().text(name)


def test_learning_gives_the_same_policy_with_any_number_of_processes(few):
    seen = []
    one = training.learn(SHORT, generations=2, processes=1, seed=3, progress=seen.append)
    two = training.learn(SHORT, generations=2, processes=2, seed=3)
    assert one == two != training.learn(SHORT, generations=2, processes=1, seed=4)
    assert [p.generation for p in seen] == [1, 2] and one.about["generations"] == 2
    with pytest.raises(headgate.HeadgateError, match="seconds: found 0"):
        training.learn(SHORT, seconds=0)


def test_learning_finds_the_best_of_a_known_function(monkeypatch):
    """Its highest point is known: all weights 0.4."""
    seen = []

    def returns(numbers, seeds, options):
        seen.append(tuple(seeds))
        return -sum((x - 0.4) ** 2 for x in numbers)

    monkeypatch.setattr(learning, "_returns", returns)
    found = training.learn(SHORT, generations=60, processes=1, seed=1)
    (weights,), (bias,) = found.layers[0]
    assert all(abs(x - 0.4) < 0.15 for x in (*weights, bias))
    # All candidates of a generation have the same scenarios, and each generation its own.
    assert [len(set(seen[i : i + learning.CANDIDATES])) for i in range(0, len(seen), learning.CANDIDATES)] == [1] * 60
    assert len(set(seen)) == 60


def test_measured_on_the_same_scenarios(tmp_path):
    rows = training.measure(["aimd", "cubic"], {"duration": "2s"}, company=["alone", "twin"], episodes=2)
    assert [(r.company, r.control) for r in rows] == [(c, n) for c in ("alone", "twin") for n in ("aimd", "cubic")]
    assert all(0.5 < r.share <= 1.01 and r.queueing > 1 and 0 <= r.loss < 0.1 for r in rows)
    # The next measurement has the same scenarios, so that the same control has the same numbers.
    assert rows[:2] == training.measure(["aimd", "cubic"], {"duration": "2s"}, company=["alone"], episodes=2)
    keep = LearnedPolicy.linear([0.0] * 13)
    keep.write_plugin(tmp_path / "keep.py", "keep")
    loaded = plugins.load(tmp_path / "keep.py")
    (row,) = training.measure(["keep"], SHORT, plugins=loaded, company=["alone"], episodes=1)
    # Ten packets of 1500 bytes in each round trip of 20 ms and a little.
    assert row.share == pytest.approx(10 * 12000 / 0.0215 / 10e6, rel=0.1) and row.queueing < 1.1


def test_the_command(few, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from headgate.cli.group import cli

    monkeypatch.chdir(tmp_path)
    options = ["--generations", "1", "--processes", "1", "--episodes", "1"]
    options += [x for name, value in SHORT.items() for x in ("--range", f"{name}={value}")]
    done = CliRunner().invoke(cli, ["train", "--out", "calm.py", "--name", "calm", "--delay", "2", *options])
    assert done.exit_code == 0, done.output
    assert 'plugins = ["calm.py"] and control = "calm"' in done.output and "beside cubic" in done.output
    done = CliRunner().invoke(cli, ["train", "--out", "calm.py", "--json", *options], standalone_mode=False)
    found = json.loads(done.output)
    assert found["about"]["reward"] == {} and len(found["measured"]) == 9
    for wrong, message in ((["--range", "rate"], "NAME=VALUES"), (["--name", "cubic"], "no flow control of headgate")):
        done = CliRunner().invoke(cli, ["train", "--out", "x.py", *options, *wrong])
        assert message in str(done.exception)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)


def test_the_page_runs_as_it_stands(few, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "scenarios", tmp_path / "scenarios")
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "__main__"}
    for block in blocks("python"):
        exec(compile(block, "page", "exec"), space)
    assert blocks("sh") == ["headgate train --out learned.py\n"]


def test_the_page_has_the_observations_the_ranges_and_the_weights():
    from headgate.lab.training.stage import OBSERVATION

    text = PAGE.read_text("utf-8")
    rows = [f"| `{o.name}` | {o.low}, {o.high} | {o.what} |" for o in OBSERVATION]
    assert "\n".join(rows) in text
    for value in ranges.DEFAULTS.values():
        assert f"`{value}`" in text or f"| {value} |" in text
    plain = Utility()
    assert (
        f"`throughput` {plain.throughput:g}, `delay` {plain.delay:g} and `loss` {plain.loss:g}, the reference is 1 Mbit/s"
        in " ".join(text.split())
    )
    assert plain.reference == "1Mbit/s"


def test_without_gymnasium_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['gymnasium'] = None; import headgate.lab.training as t; t.LearnedPolicy; "
        "import headgate\ntry: t.CongestionControl\nexcept headgate.MissingExtraError as e: print(e)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert install_line("train") in done.stdout


def test_policies_are_values():
    policy = some_policy()
    assert dataclasses.replace(policy, step="20ms") != policy == some_policy()
