"""The runs of the baselines that come with headgate are those that it makes today."""

import pytest

from headgate.lab.frame import work
from headgate.lab.frame.subjects import BASELINES, NULLS
from headgate.lab.referee.files import cases
from headgate.lab.referee.judge import baseline_jobs
from headgate.lab.referee.shipped import shipped

NAMES = [(judges, name) for judges in BASELINES for name in (*BASELINES[judges], *(n.null for n in NULLS[judges]))]
AGAIN = "expected the runs of today's cases and engine; `headgate referee --write-baselines` makes them"


@pytest.mark.slow
@pytest.mark.parametrize(("judges", "name"), NAMES)
def test_every_cell_has_its_runs_and_some_are_made_again(judges, name):
    kept = shipped(name)
    jobs = baseline_jobs([case for case in cases() if case.judges == judges])[name]
    assert {job.key for job in jobs} <= set(kept), AGAIN
    # The shortest ones, from all over the cases.
    some = sorted(jobs[:: max(1, len(jobs) // 40)], key=lambda job: job.place.capacity(0, job.place.duration))[:4]
    for job in some:
        assert work.do(job)["values"] == kept[job.key]["values"], f"{job.text[:200]}: {AGAIN}"
