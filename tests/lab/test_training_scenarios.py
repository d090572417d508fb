"""Scenarios of training: ranges, studies, errors; several agents, several environments."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import headgate
from headgate.lab import training
from headgate.lab.training import ranges

from ..episodes import SHORT, cleaned, episode, episodes_running, some_policy

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")


@pytest.fixture(autouse=True)
def _clean():
    yield from cleaned()


def test_several_agents_can_end_anywhere():
    """A fault of one flow does not end the run at once: the others ask again."""
    env = training.SharedCongestionControl(agents=4, ranges={"duration": "100s"})
    for seed in range(3):
        env.reset(seed=seed)
        for _ in range(10 * seed):
            env.step({agent: [0.0] for agent in env.agents})
    env.close()
    assert not episodes_running()


def test_a_flow_that_gets_no_acknowledgement():
    scenario = ranges.line({**ranges.DEFAULTS, **SHORT, "queue": "fcfs"}, ["flow_0"]).data
    scenario["flows"][0]["start"] = "999ms"
    env = training.CongestionControl(scenario)
    with pytest.raises(headgate.HeadgateError, match="expected a run in which a learning flow"):
        env.reset(seed=1)
    assert not episodes_running()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ranges": {"rat": "1Mbit/s"}}, "ranges: found 'rat'; expected one of rate, .* Did you mean \"rate\""),
        ({"ranges": {"rate": "5ms"}}, "ranges.rate: found '5ms'; expected 10Mbit/s"),
        ({"ranges": {"rate": "5Mbit/s ... 5ms"}}, "ranges.rate: found .*; expected both ends in units of one kind"),
        ({"ranges": {"rate": "9Mbit/s ... 5Mbit/s log"}}, "ranges.rate: found .*; expected the smaller end first"),
        ({"ranges": {"loss": "0 ... 0.1 log"}}, "ranges.loss: found .*; expected ends above zero"),
        ({"ranges": {"queue": []}}, "ranges.queue: found an empty list"),
        ({"ranges": {"competitors": 0.5}}, "ranges.competitors: found 0.5; expected a whole number"),
        ({"ranges": {"rtt": "x ... y"}}, "ranges.rtt: found 'x ... y'; expected a quantity"),
        ({"ranges": {"queue": "fsfs"}}, "fcfs"),
        ({"ranges": {"loss": 2}}, "probability"),
        ({"step": "0ms"}, "step: found '0ms'; expected round, or a time"),
        ({"step": 5}, "step: found 5"),
        ({"actions": "up"}, "actions: found 'up'; expected one of window"),
        ({"reward": {"dely": 1}}, "reward: found 'dely'"),
        ({"reward": {"delay": -1}}, "reward.delay: found -1; expected a number from 0"),
        ({"reward": {"reference": "0bit/s"}}, "reward.reference"),
        ({"flow": "f"}, "flow: found"),
        ({"scenario": "nowhere.toml"}, "nowhere.toml"),
        ({"scenario": {}}, "flows"),
    ],
)
def test_errors_name_the_place(arguments, message):
    with pytest.raises((headgate.HeadgateError, headgate.ScenarioError), match=message):
        training.CongestionControl(**arguments)


def test_options_of_an_episode():
    env = training.CongestionControl(ranges={"duration": "1s"})
    _, info = env.reset(seed=1, options={"values": {"rate": "7Mbit/s"}, "seed": 9})
    assert info["values"]["rate"] == "7Mbit/s" and info["seed"] == 9
    with pytest.raises(headgate.HeadgateError, match="values: found 'rat'; expected one of rate, rtt"):
        env.reset(options={"values": {"rat": 1}})
    with pytest.raises(headgate.HeadgateError, match="seed: found -1"):
        env.reset(options={"seed": -1})
    env.close()


def test_ranges_draw_what_they_say():
    random = np.random.default_rng(1)
    for given, low, high in (("2 ... 4", 2, 4), ("0.5 ... 2", 0.5, 2), ("1 ... 100 log", 1, 100)):
        drawn = [ranges.Range("", given).draw(random) for _ in range(500)]
        assert low <= min(drawn) < max(drawn) <= high
    counts = np.bincount([ranges.Range("", "2 ... 4").draw(random) for _ in range(3000)])
    assert all(900 < n < 1100 for n in counts[2:]) and len(counts) == 5
    # Half of a logarithmic range is below the geometric mean of its ends.
    drawn = [ranges.Range("", "1ms ... 100ms log").draw(random) for _ in range(1000)]
    below = sum(headgate._core.quantity(x, "s")[2] < 0.01 for x in drawn)
    assert 430 < below < 570
    drawn = {ranges.Range("", "0.5BDP ... 3BDP log").draw(random) for _ in range(50)}
    assert all(text.endswith("BDP") and 0.5 <= float(text[:-3]) <= 3 for text in drawn) and len(drawn) > 40
    assert {ranges.Range("", "1ms ... 3ms step 1ms").draw(random) for _ in range(50)} == {"1ms", "2ms", "3ms"}


def test_competitors_have_the_parameters_and_the_transport_that_a_range_names():
    given = {"control": "cubic:beta=0.5,transport.ecn=classic", "competitors": 2}
    _, made = ranges.Scenarios(ranges=given).draw(np.random.default_rng(1))
    _, *others = made.resolve()["flows"]
    assert [(flow["control"]["beta"], flow["transport"]["ecn"]) for flow in others] == [(0.5, "classic")] * 2
    # Wrong ones are an error before any episode, whether or not it has competitors.
    with pytest.raises(headgate.HeadgateError, match=r"ranges\.control: cubic: beta: found 7; expected"):
        ranges.Scenarios(ranges={"control": ["reno", "cubic:beta=7"]})


def test_a_study_gives_a_variant_to_each_episode(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(
        """
        duration = "1s"
        topology = { kind = "dumbbell", hosts = 2, line = { rate = "5Mbit/s", delay = "10ms", queue = { kind = "fcfs" } } }
        [[flows]]
        name = "other"
        from = "s1"
        to = "d1"
        control = "cubic"
        [[flows]]
        name = "mine"
        from = "s2"
        to = "d2"
        control = "reno"
        [sweep.axes]
        "topology.line.rate" = ["5Mbit/s", "6Mbit/s"]
        "topology.line.queue.kind" = ["fcfs", "fq"]
        """
    )
    env = training.CongestionControl(file, {"topology.line.delay": "5ms ... 50ms"}, flow="mine")
    seen = [env.reset(seed=seed)[1]["values"] for seed in range(30)]
    env.close()
    assert {values["variant"] for values in seen} == {
        f"rate = {rate}, queue = {queue}" for rate in ("5Mbit/s", "6Mbit/s") for queue in ("fcfs", "fq")
    }
    assert len({values["topology.line.delay"] for values in seen}) > 20
    with pytest.raises(headgate.HeadgateError, match=r"flow 'their': expected .* found other, mine"):
        training.CongestionControl(file, flow="their")
    with pytest.raises(headgate.ScenarioError, match=r"topology\.lane: unknown key"):
        training.CongestionControl(file, {"topology.lane.delay": "5ms"})


def test_an_entry_of_several_flows_cannot_learn():
    scenario = ranges.line({**ranges.DEFAULTS, **SHORT, "queue": "fcfs"}, ["flow_0"]).data
    scenario["flows"][0]["count"] = 2
    with pytest.raises(headgate.HeadgateError, match="stands for one flow"):
        training.CongestionControl(scenario)


def test_the_agents_control_needs_an_environment():
    from headgate.lab.training import agents

    agents.register()
    scenario = ranges.line({**ranges.DEFAULTS, **SHORT, "queue": "fcfs"}, ["flow_0"]).put(
        "flows.0.control", "training_agent"
    )
    with pytest.raises(headgate.PluginError, match=r"expected a run within an environment of headgate.lab.training"):
        scenario.run()


def test_environments_side_by_side_do_not_meet():
    policy = some_policy()
    alone = [episode(training.CongestionControl(ranges={"duration": "1s"}), policy, seed=s)[-1][1] for s in (1, 2)]
    envs = [training.CongestionControl(ranges={"duration": "1s"}) for _ in range(2)]
    seen = [env.reset(seed=s)[0] for env, s in zip(envs, (1, 2), strict=True)]
    last = [{}, {}]
    while not all("digest" in info for info in last):
        for i, env in enumerate(envs):
            if "digest" not in last[i]:
                seen[i], _, _, _, last[i] = env.step(policy(seen[i]))
    assert last == alone


def test_vectors_of_environments_in_processes():
    env = gymnasium.make_vec(
        "headgate/CongestionControl-v0",
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn"},
        ranges=SHORT,
    )
    seen = [env.reset(seed=[1, 2])[0]]
    seen += [env.step(np.full((2, 1), 0.1, dtype=np.float32))[0] for _ in range(10)]
    env.close()
    for i, seed in enumerate((1, 2)):
        one = episode(training.CongestionControl(ranges=SHORT), lambda _: [0.1], seed=seed)
        assert all(rows[i].tobytes() == row[0].tobytes() for rows, row in zip(seen, one, strict=False))


def test_pettingzoos_test_passes(capsys):
    from pettingzoo.test import parallel_api_test

    env = training.SharedCongestionControl(agents=3, ranges={"duration": "1s"}, step="30ms")
    parallel_api_test(env, num_cycles=1000)
    parallel_api_test(env, num_cycles=10)
    env.close()
    assert "Passed" in capsys.readouterr().out


def test_agents_act_at_the_same_times_each_on_its_own_flow():
    env = training.SharedCongestionControl(agents=3, ranges={**SHORT, "duration": "2s"}, step="50ms")
    runs = []
    for _ in range(2):
        env.reset(seed=4)
        rows = []
        while env.agents:
            rows.append(env.step({"flow_0": [0.05], "flow_1": [0.0], "flow_2": [-0.2]}))
        runs.append(rows)
    infos = [row[4] for row in runs[0]]
    assert [row[4] for row in runs[1]] == infos
    for info in infos:
        assert len({one["time_s"] for one in info.values()}) == 1
    windows = [[info[f"flow_{i}"]["window_packets"] for info in infos[:-1]] for i in range(3)]
    assert windows[0] == sorted(windows[0]) and set(windows[1]) == {10.0} and windows[2][-1] == 2
    with pytest.raises(headgate.HeadgateError, match=r"expected reset\(\)"):
        env.step({})
    env.reset(seed=1)
    with pytest.raises(headgate.HeadgateError, match="actions: expected one of flow_2"):
        env.step({"flow_0": [0.0], "flow_1": [0.0]})
    env.close()
    with pytest.raises(headgate.HeadgateError, match="step: found 'round'"):
        training.SharedCongestionControl(step="round")
    with pytest.raises(headgate.HeadgateError, match="agents: found 0"):
        training.SharedCongestionControl(agents=0)


def test_gymnasium_finds_it_without_an_import_of_headgate():
    code = "import gymnasium; env = gymnasium.make('headgate.lab.training:headgate/CongestionControl-v0'); print(env.reset(seed=1)[0])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("["), done.stderr
