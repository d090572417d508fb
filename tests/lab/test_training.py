"""Environments in which flow controls learn: steps, observations, actions, rewards, ends."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

import headgate
from headgate import plugins
from headgate.lab import training
from headgate.lab.training import inlined, ranges
from headgate.lab.training.utility import Utility

from ..episodes import SHORT, cleaned, episode, episodes_running, some_policy

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")


@pytest.fixture(autouse=True)
def _clean():
    yield from cleaned()


@pytest.mark.slow
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
    from headgate.lab.training.episode import Episode

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


def test_a_program_ends_though_an_episode_goes_on():
    code = "from headgate.lab import training; env = training.CongestionControl(); env.reset(seed=1); env.step([0.0]); 1 / 0"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr and "Fatal" not in done.stderr


@pytest.mark.slow
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
