"""Round trips are of packets that were timed, times in queues of all: the table says so where they seem to contradict each other."""

from __future__ import annotations

from headgate.cli.tables.run import TWO_BASES

from ..conftest import ROOT, Cli


def printed(cli: Cli, *options: str) -> str:
    done = cli("run", str(ROOT / "scenarios/two-sources.toml"), *options)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_the_table_names_both_where_a_round_trip_is_below_the_time_in_queues(cli: Cli) -> None:
    assert TWO_BASES in printed(cli)


def test_and_says_nothing_where_it_is_not(cli: Cli) -> None:
    # These time each packet by itself, those sent again too.
    text = printed(cli, "--set", 'flows.*.control={kind="generic"}')
    assert "queueing" in text and TWO_BASES not in text
