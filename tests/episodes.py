"""What the tests of training have in common."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import numpy as np

from headgate import plugins
from headgate.lab.training.policy import LearnedPolicy

SHORT = {"duration": "1s", "rate": "10Mbit/s", "rtt": "20ms", "buffer": "1BDP", "competitors": 0}


def cleaned() -> Iterator[None]:
    """A test leaves neither threads of episodes nor names of flow controls."""
    yield
    plugins.unload()
    plugins.set_limit(10)
    gc.collect()
    assert not episodes_running()


def episodes_running():
    return [t for t in threading.enumerate() if t.name == "headgate-training-episode"]


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
