"""The example that improves flow controls without a language model."""

import random
import runpy

import pytest

from headgate import Scenario, plugins

from ..conftest import ROOT

IMPROVE = runpy.run_path(str(ROOT / "examples/improve.py"), run_name="improve")


@pytest.mark.parametrize("name", IMPROVE["KINDS"])
def test_whatever_chance_makes_is_a_control(name, tmp_path):
    kind = IMPROVE["KINDS"][name]
    for seed in range(5):
        chance, genes = random.Random(seed), kind.start
        for _ in range(40):
            genes = kind.change(genes, chance)
        text, parameters = kind.control(genes)
        file = tmp_path / f"{name}{seed}.py"
        file.write_text(text, "utf-8")
        (control,) = plugins.kinds(plugins.load(file))
        given = {"kind": control, **parameters}
        flow = {"name": "f", "from": "a", "to": "b", "packet": "1500B", "control": given}
        line = {"from": "a", "to": "b", "rate": "5Mbit/s", "delay": "10ms"}
        nodes = [{"name": "a", "kind": "host"}, {"name": "b", "kind": "host"}]
        data = {"duration": "5s", "nodes": nodes, "links": [line], "flows": [flow]}
        assert Scenario(data).run(seed=1).flow_summaries()[0].goodput_pps.mean > 10


def test_a_seed_gives_the_same_search_and_its_score_never_falls(monkeypatch):
    """With a score that costs nothing: the nearer to 0.8, the better."""
    kind = IMPROVE["KINDS"]["aimd"]
    monkeypatch.setitem(
        IMPROVE["improve"].__globals__, "judged", lambda kind, genes, suite: -abs(genes["decrease"] - 0.8)
    )
    (best, scores), again = (IMPROVE["improve"](kind, 10, 4, 3) for _ in range(2))
    assert (best, scores) == again
    assert scores == sorted(scores) and abs(best[0]["decrease"] - 0.8) < 0.1
    assert len(scores) == 11 and len(best) == 3


def test_a_generation_on_the_suite():
    best, scores = IMPROVE["improve"](IMPROVE["KINDS"]["tree"], 1, 1, 1)
    assert len(best) == 2 and 40 < scores[0] <= scores[1] <= 100
