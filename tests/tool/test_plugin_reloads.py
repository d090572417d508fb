"""Plugins that were loaded before, or are in runs that are made again."""

import json

import pytest

import headgate
from headgate import ScenarioError, plugins
from headgate.base.errors import HeadgateError

from ..own_plugins import control, data, headgate_command, put


def test_a_module_that_was_unloaded_is_registered_again(tmp_path, monkeypatch):
    put(tmp_path, control(), "own_module.py")
    monkeypatch.syspath_prepend(tmp_path)
    for _ in range(2):
        assert plugins.kinds(plugins.load("own_module:Own")) == {"own": "control"}
        assert headgate.Scenario(data(control="own")).run(seed=1).flow_summaries()
        plugins.unload()
        with pytest.raises(ScenarioError):
            headgate.Scenario(data(control="own")).resolve()


def test_runs_with_plugins_are_compared(tmp_path):
    folders = []
    for number, step in enumerate(("1.0", "2.0")):
        (tmp_path / str(number)).mkdir()
        put(tmp_path / str(number), control(f"        self.window += {step} / self.window"))
        file = tmp_path / str(number) / "a.json"
        file.write_text(json.dumps(data(control="own", plugins=["mine.py"])))
        folders.append(tmp_path / f"out{number}")
        headgate.Scenario.from_file(file, allow_code=True).run(seed=1, out=folders[-1])
    done = headgate_command("diff", *map(str, folders), cwd=tmp_path)
    assert done.returncode == 2 and "0/a.json" not in done.stderr and "plugins[0]: mine.py" in done.stderr
    done = headgate_command("diff", *map(str, folders), "--allow-code", cwd=tmp_path)
    assert done.returncode == 1 and "event" in done.stdout, (done.stdout, done.stderr)


def test_a_short_name_that_is_a_plugin_is_an_error(tmp_path):
    plugins.load(put(tmp_path, control().replace('"own"', '"bulk"')))
    with pytest.raises(HeadgateError, match="found 'bulk', a short name and a plugin"):
        headgate.quick.scenario("20Mbit/s", "40ms", "bulk")
