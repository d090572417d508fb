"""Environments in which flow controls learn, and policies as flow controls."""

from __future__ import annotations

import dataclasses
import gc
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import headgate
from headgate import plugins, training
from headgate.training import inlined, learning, ranges
from headgate.training.policy import LearnedPolicy
from headgate.training.utility import Utility

from .conftest import ROOT

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

PAGE = ROOT / "docs/how-to/train-a-control.md"

SHORT = {"duration": "1s", "rate": "10Mbit/s", "rtt": "20ms", "buffer": "1BDP", "competitors": 0}


@pytest.fixture(autouse=True)
def _clean():
    """Each test leaves neither threads of episodes nor names of flow controls."""
    yield
    plugins.unload()
    plugins.set_limit(10)
    gc.collect()
    assert not [t for t in threading.enumerate() if t.name == "headgate-training-episode"]


@pytest.fixture
def few(monkeypatch):
    """Learning takes a moment."""
    for name, value in (("CANDIDATES", 4), ("BEST", 2), ("SCENARIOS", 2)):
        monkeypatch.setattr(learning, name, value)


def episode(env, actions, **reset):
    """All observations, rewards and infos of an episode."""
    rows = [(*env.reset(**reset), None)]
    while True:
        observed, reward, terminated, truncated, info = env.step(actions(rows[-1][0]))
        rows.append((observed, info, reward))
        assert not terminated
        if truncated:
            env.close()
            return rows


def some_policy(step="round", outputs=1):
    numbers = np.random.default_rng(3).normal(0, 0.3, (outputs, 13))
    return LearnedPolicy([(numbers[:, :12].tolist(), numbers[:, 12].tolist())], step=step)


@pytest.mark.parametrize("actions", ["window", "window+rate", "discrete"])
@pytest.mark.parametrize("step", ["round", "15ms"])
def test_gymnasiums_checker_finds_nothing(actions, step):
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make("headgate/CongestionControl-v0", ranges=SHORT, actions=actions, step=step)
    check_env(env.unwrapped)
    env.close()


def test_the_same_seed_and_actions_give_the_same_run():
    env = training.CongestionControl(ranges={"duration": "2s"})
    first, again, other = (episode(env, some_policy(), seed=seed) for seed in (5, 5, 6))
    assert len(first) == len(again) > 10
    for (a, i, r), (b, j, s) in zip(first, again, strict=True):
        assert a.tobytes() == b.tobytes() and i == j and r == s
    assert len(first[-1][1]["digest"]) == 16
    assert other[-1][1]["digest"] != first[-1][1]["digest"]
    assert other[0][1]["values"] != first[0][1]["values"]
    # One number that differs makes another run.
    changed = episode(env, lambda o: some_policy()(o) * np.float32(0.9), seed=5)
    assert changed[-1][1]["digest"] != first[-1][1]["digest"]


def test_observations_stay_within_their_bounds():
    env = training.CongestionControl(ranges={"duration": "2s", "loss": [0, 0.05]}, actions="window+rate")
    random = np.random.default_rng(1)
    for seed in range(6):
        rows = episode(env, lambda _: random.uniform(-1, 1, 2).astype(np.float32), seed=seed)
        assert all(env.observation_space.contains(observed) for observed, _, _ in rows)
        assert all(2 <= info["window_packets"] <= 1e5 for _, info, _ in rows)


def test_a_step_is_a_round_trip_or_a_time():
    rows = episode(training.CongestionControl(ranges=SHORT), lambda _: [0.0], seed=1)
    for _, info, _ in rows[2:-1]:
        # Acknowledgements come in trains: the next one may take until the next train.
        assert 0.9 * info["rtt_s"] < info["step_s"] < 2 * info["rtt_s"]
    rows = episode(training.CongestionControl(ranges=SHORT, step="50ms"), lambda _: [0.0], seed=1)
    assert len(rows) == 20
    for k, (_, info, _) in enumerate(rows[:-1], 1):
        assert 0.05 * k <= info["time_s"] < 0.05 * k + 0.02
    assert sum(info["step_s"] for _, info, _ in rows) == pytest.approx(1.0)


def test_the_action_multiplies_the_window():
    env = training.CongestionControl(ranges=SHORT)
    _, info = env.reset(seed=1)
    assert info["window_packets"] == 10
    for action, window in ((1, 20), (0.25, 25), (0, 25), (-1, 12.5), (-0.25, 10), (-1, 5), (-1, 2.5), (-1, 2)):
        assert env.step([action])[4]["window_packets"] == pytest.approx(window)
    env.close()


def test_discrete_actions_and_the_pacing_rate():
    env = training.CongestionControl(ranges=SHORT, actions="discrete")
    env.reset(seed=1)
    assert [env.step(a)[4]["window_packets"] for a in (6, 3, 0)] == [20, 20, 10]
    env.close()
    assert inlined.pacing(10.0, 0.1, 0.0) == 200.0
    assert [inlined.pacing(10.0, 0.1, b) for b in (1.0, -1.0)] == [400.0, 100.0]
    assert inlined.pacing(10.0, 0.0, 0.0) is None
    # Packets that are spread over a round trip wait for each other less than those that leave in a quarter of it.
    trips = []
    for rate in (1.0, -1.0):
        env = training.CongestionControl(ranges={**SHORT, "buffer": "100pkt"}, actions="window+rate")
        rows = episode(env, lambda o, rate=rate: [0.5 if o[7] < 0.4 else -0.3, rate], seed=1)
        trips.append(np.mean([info["rtt_s"] for _, info, _ in rows]))
    assert trips[1] < trips[0]


def ack(**values):
    plain = {"now": 0.0, "rtt": None, "smoothed_rtt": None, "delivered": 0, "lost": 0, "marks": 0, "limited": False}
    return SimpleNamespace(**{**plain, **values})


def test_an_observation_by_hand():
    signals = inlined.Signals()
    assert signals.close(1.0, 10.0) == [0.0] * 12
    signals.add(ack(now=1.25, rtt=0.25, smoothed_rtt=0.25, delivered=1))
    first = signals.close(1.25, 16.0)
    # A packet in a quarter of a second: 4/s, one in the shortest round trip.
    assert first[:9] == [0, 0, 1, 0, 0, 0, 0, np.float32(16 / 17), np.float32(4 / 20)]
    assert (signals.seconds, signals.rate, signals.rtt, signals.least_rtt) == (0.25, 4.0, 0.25, 0.25)
    signals.action = 0.5
    signals.add(ack(now=1.4, rtt=0.5, smoothed_rtt=0.375, delivered=1, limited=True))
    assert not signals.trip_over(1.6) and signals.trip_over(1.625)
    signals.add(ack(now=1.5, delivered=1))
    signals.add(ack(now=1.75, rtt=0.2, smoothed_rtt=0.3, delivered=1, lost=1, marks=1))
    signals.add_timeout()
    second = signals.close(1.75, 3.0)
    # Round trips of 0.5 and 0.2 s; 3 packets in half a second, 1 lost.
    trip = 0.35
    expected = [
        1 - 0.2 / trip,
        (trip - 0.25) / (trip + 0.25),
        1.0,
        (6 - 4) / (6 + 4),
        0.25,
        1 / 3,
        1.0,
        3 / (3 + 6 * 0.2),
        1.5 / 20,
        inlined.doublings(0.2 * 1e6) / 30,
        1.0,
        0.5,
    ]
    assert second == [float(np.float32(x)) for x in expected]
    # Nothing happened since: the round trip is the last one, the rate none.
    third = signals.close(2.0, 3.0)
    assert third[2] == 0 and third[3] == -1 and third[4:7] == [0, 0, 0] and third[10] == 0 and signals.rtt == trip
    assert [inlined.doublings(x) for x in (0.5, 1, 2, 3, 8, 12)] == [0, 0, 1, 1.5, 3, 3.5]


def test_the_largest_rate_of_sixteen_steps_counts():
    signals = inlined.Signals()
    seen = []
    for k in range(18):
        signals.add(ack(now=1.0 + k, rtt=0.5, smoothed_rtt=0.5, delivered=8 if k == 0 else 2))
        seen.append(signals.close(1.0 + k, 10.0)[2])
    assert seen[0] == 1 and seen[1:16] == [0.125] * 15 and seen[16:] == [1, 1]


def test_the_reward_is_the_utility_over_time():
    given = {"throughput": 2, "delay": 1.5, "loss": 4, "reference": "2Mbit/s"}
    rows = episode(
        training.CongestionControl(ranges=SHORT, reward=given), lambda o: [0.1 if o[4] == 0 else -0.5], seed=1
    )
    assert sum(info["loss"] > 0 for _, info, _ in rows) > 0
    for _, info, reward in rows[1:-1]:
        value = 2 * np.log(info["throughput_bps"] / 2e6) - 1.5 * np.log(info["rtt_s"] / info["least_rtt_s"])
        assert reward == pytest.approx(info["step_s"] * (value - 4 * info["loss"]))
    assert Utility().per_second(0.0, 0.0, 0.0, 0.0) == pytest.approx(np.log(1e3 / 1e6))


def test_throughput_is_what_the_run_counts():
    """The window of twice what the path holds fills the line: packets of 1500 bytes."""
    rows = episode(training.CongestionControl(ranges=SHORT), lambda o: [0.5 if o[7] < 0.55 else 0.0], seed=1)
    whole = sum(info["throughput_bps"] * info["step_s"] for _, info, _ in rows)
    assert 0.85 * 10e6 < whole < 10e6


def test_the_last_step_ends_with_the_run():
    calm = episode(training.CongestionControl(ranges=SHORT), lambda _: [0.0], seed=1)
    assert calm[-1][1]["step_s"] <= 1.1 * calm[-1][1]["rtt_s"]
    assert sum(info["step_s"] for _, info, _ in calm) == pytest.approx(1.0)
    # The line breaks half way, and nothing comes any more.
    scenario = ranges.line({**ranges.DEFAULTS, **SHORT, "queue": "fcfs"}, ["flow_0"]).data
    scenario["events"] = [{"at": "500ms", "link": "bottleneck", "up": False}]
    stalled = episode(training.CongestionControl(scenario), lambda _: [0.0], seed=1)
    assert stalled[-1][1]["step_s"] > 0.4 and stalled[-1][2] < -0.5


def test_a_timeout_halves_the_window_and_is_seen():
    scenario = ranges.line({**ranges.DEFAULTS, **SHORT, "queue": "fcfs", "duration": "3s"}, ["flow_0"]).data
    scenario["events"] = [{"at": "500ms", "link": "bottleneck", "up": False}]
    rows = episode(training.CongestionControl(scenario), lambda _: [0.0], seed=1)
    seen = [(round(info["time_s"], 1), info["window_packets"]) for observed, info, _ in rows if observed[6]]
    # A second after the last acknowledgement; the next one comes two seconds later.
    assert seen == [(1.5, 5)] and rows[-1][1]["window_packets"] == 5
    # Nothing is delivered meanwhile: 1000 bit/s count.
    assert rows[-1][2] == pytest.approx(rows[-1][1]["step_s"] * (np.log(1e-3) - 0.5 * np.log(1.0)), rel=0.1)


def episodes_running():
    return [t for t in threading.enumerate() if t.name == "headgate-training-episode"]


def test_an_episode_can_end_anywhere():
    env = training.CongestionControl(ranges={"duration": "100s"})
    for seed in range(5):
        env.reset(seed=seed)
        for _ in range(seed):
            env.step([0.1])
        assert len(episodes_running()) == 1
    env.close()
    env.close()
    assert not episodes_running()
    with pytest.raises(headgate.HeadgateError, match=r"expected reset\(\) before"):
        env.step([0.0])
    env.reset(seed=1)
    assert len(episodes_running()) == 1
    del env
    gc.collect()
    assert not episodes_running()


def test_several_agents_can_end_anywhere():
    """A fault of one flow does not end the run at once: the others ask again."""
    env = training.SharedCongestionControl(agents=4, ranges={"duration": "100s"})
    for seed in range(3):
        env.reset(seed=seed)
        for _ in range(10 * seed):
            env.step({agent: [0.0] for agent in env.agents})
    env.close()
    assert not episodes_running()


def test_a_wrong_action_changes_nothing_and_an_agent_that_throws_ends_nothing():
    env = training.CongestionControl(ranges=SHORT)
    rows = episode(env, lambda _: [0.05], seed=1)
    env.reset(seed=1)
    for wrong in ([float("nan")], [0.0, 0.0], "up"):
        with pytest.raises((headgate.HeadgateError, ValueError)):
            env.step(wrong)
    while True:
        _, _, _, over, info = env.step([0.05])
        if over:
            break
    assert info == rows[-1][1]


def test_ctrl_c_while_the_engine_runs_ends_the_episode(monkeypatch):
    from headgate.training.episode import Episode

    env = training.CongestionControl(ranges={"duration": "100s"})
    env.reset(seed=1)
    with monkeypatch.context() as patch:
        patch.setattr(Episode, "wait", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            env.step([0.0])
        assert not episodes_running()
        with pytest.raises(KeyboardInterrupt):
            env.reset()
        assert not episodes_running()
    with pytest.raises(headgate.HeadgateError, match=r"expected reset\(\)"):
        env.step([0.0])


def test_a_flow_that_gets_no_acknowledgement():
    scenario = ranges.line({**ranges.DEFAULTS, **SHORT, "queue": "fcfs"}, ["flow_0"]).data
    scenario["flows"][0]["start"] = "999ms"
    env = training.CongestionControl(scenario)
    with pytest.raises(headgate.HeadgateError, match="expected a run in which a learning flow"):
        env.reset(seed=1)
    assert not episodes_running()


def test_a_program_ends_though_an_episode_goes_on():
    code = (
        "from headgate import training; env = training.CongestionControl(); env.reset(seed=1); env.step([0.0]); 1 / 0"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr and "Fatal" not in done.stderr


def test_an_agent_may_take_its_time():
    plugins.set_limit(0.2)
    env = training.CongestionControl(ranges=SHORT)
    env.reset(seed=1)
    time.sleep(0.8)
    env.step([0.0])
    time.sleep(0.8)
    assert env.step([0.0])[4]["time_s"] > 0
    env.close()


def test_a_fault_of_another_plugin_is_raised_where_the_agent_steps(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text(
        "import headgate\n@headgate.control('bad')\nclass Bad:\n    def on_ack(self, ack):\n        if ack.now > 0.5: 1 / 0\n"
    )
    scenario = ranges.line({**ranges.DEFAULTS, **SHORT, "competitors": 1, "queue": "fcfs"}, ["flow_0"]).data
    scenario["flows"][1] |= {"control": "bad", "start_spread": "0s"}
    scenario["plugins"] = plugins.load(file)
    env = training.CongestionControl(scenario)
    with pytest.raises(headgate.PluginError, match="ZeroDivisionError"):
        episode(env, lambda _: [0.0], seed=1)
    assert not episodes_running()
    env.reset(seed=2)
    env.close()


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
    from headgate.training import agents

    agents.register()
    scenario = ranges.line({**ranges.DEFAULTS, **SHORT, "queue": "fcfs"}, ["flow_0"]).put(
        "flows.0.control", "training_agent"
    )
    with pytest.raises(headgate.PluginError, match=r"expected a run within an environment of headgate.training"):
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
        results = headgate.Scenario.from_file(tmp_path / "scenario.json").run(seed=about["seed"])
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

    from headgate.cli.commands import cli

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


def test_gymnasium_finds_it_without_an_import_of_headgate():
    code = "import gymnasium; env = gymnasium.make('headgate.training:headgate/CongestionControl-v0'); print(env.reset(seed=1)[0])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("["), done.stderr


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
    from headgate.training.stage import OBSERVATION

    text = PAGE.read_text("utf-8")
    rows = [f"| `{o.name}` | {o.low}, {o.high} | {o.what} |" for o in OBSERVATION]
    assert "\n".join(rows) in text
    for value in ranges.DEFAULTS.values():
        assert f"`{value}`" in text or f"| {value} |" in text
    plain = Utility()
    assert (
        f"`throughput` {plain.throughput:g}, `delay` {plain.delay:g} and `loss` {plain.loss:g}, the reference is 1 Mbit/s"
        in text
    )
    assert plain.reference == "1Mbit/s"


def test_without_gymnasium_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['gymnasium'] = None; import headgate.training as t; t.LearnedPolicy; "
        "import headgate\ntry: t.CongestionControl\nexcept headgate.MissingExtraError as e: print(e)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'headgate[train]'" in done.stdout


def test_policies_are_values():
    policy = some_policy()
    assert dataclasses.replace(policy, step="20ms") != policy == some_policy()
