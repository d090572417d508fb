"""`headgate bdp`: bandwidth-delay products, and what papers print of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..conftest import Cli


def numbers(cli: Cli, *words: str) -> dict[str, Any]:
    return dict(json.loads(cli("bdp", *words, "--json").stdout))


def test_the_numbers_with_which_rfc_3649_begins(cli: Cli) -> None:
    # Section 1: 10 Gbit/s, 1500 bytes, 100 ms: 83,333 segments, "at most one congestion event every 5,000,000,000 packets", "1 2/3 hours".
    found = numbers(cli, "10Gbit/s", "100ms")
    assert found["packets"] == pytest.approx(83_333, abs=0.5)
    assert 1 / found["reno_loss_rate"] == pytest.approx(5e9, rel=0.1)
    assert found["reno_regains_s"] == pytest.approx(5 / 3 * 3600, rel=0.1)


def test_the_buffers_of_appenzeller_keslassy_and_mckeown(cli: Cli) -> None:
    # Abstract: with 10,000 flows a line of 2.5 Gbit/s needs 99 % less, and one of 10 Gbit/s with 50,000 flows "only 10Mbits"; over 250 ms.
    small = numbers(cli, "2.5Gbit/s", "250ms", "--flows", "10000")["buffers"]
    assert small["bdp/sqrt(n)"]["bytes"] == pytest.approx(0.01 * small["1bdp"]["bytes"])
    large = numbers(cli, "10Gbit/s", "250ms", "--flows", "50000")["buffers"]
    assert 8 * large["bdp/sqrt(n)"]["bytes"] == pytest.approx(10e6, rel=0.12)


def test_a_small_path_by_hand(cli: Cli) -> None:
    # 12 Mbit/s over 80 ms are 120000 bytes, 80 packets: three doublings of 10. A full buffer of them is sent in a round trip.
    found = numbers(cli, "12Mbit/s", "80ms", "--flows", "4")
    assert (found["bytes"], found["packets"], found["slow_start_s"]) == (120_000, 80, pytest.approx(0.24))
    assert found["buffers"]["1bdp"] == {"bytes": 120_000, "packets": 80, "drain_s": pytest.approx(0.08)}
    assert found["buffers"]["bdp/sqrt(n)"] == {"bytes": 60_000, "packets": 40, "drain_s": pytest.approx(0.04)}
    text = cli("bdp", "12Mbit/s", "80ms").stdout
    assert "120,000 bytes: 80.0 packets of 1500 bytes" in text and "3.0 round trips, 0.24 s" in text
    # 1 Mbit/s for 1 ms are 125 bytes.
    short = cli("bdp", "1Mbit/s", "1ms").stdout
    assert short == "The path holds 125 bytes, less than a packet of 1500 bytes: one packet at a time fills it.\n"
    # Less than the initial window: nothing to fill.
    assert numbers(cli, "1Mbit/s", "1ms")["slow_start_s"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("0", "40ms"), "RATE: found '0'; expected a rate such as 20Mbit/s"),
        (("20Mbit/s", "long"), "RTT: found 'long'; expected a time such as 30ms"),
        (("20Mbit/s", "40ms", "--packet", "big"), "--packet: found 'big'; expected a size such as 1500B"),
    ],
)
def test_a_wrong_amount_is_named(cli: Cli, words: tuple[str, ...], said: str) -> None:
    done = cli("bdp", *words)
    assert (done.returncode, done.stdout) == (2, "") and f"error: {said}" in done.stderr
