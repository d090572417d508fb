"""The rooms of the Python package: what is found at the top, whatever was imported before."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Ways to come by a package before it is called.
ORDERS = (
    "import headgate",
    "import headgate.{name}, headgate",
    "import headgate; from headgate import {name}",
    "from headgate.{name} import {name}; import headgate",
    "import headgate.cli.commands, headgate",
)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("name", "member", "said"), [("compare", "Compared", "correction wrong"), ("replay", "Replay", "ties 'wrong'")]
)
def test_a_package_named_like_its_function_is_both(name: str, member: str, said: str, order: str) -> None:
    arguments = {"compare": "None, 'by', 'goodput', correction='wrong'", "replay": "'t.csv', ties='wrong'"}[name]
    code = f"""
{order.format(name=name)}
assert headgate.{name}.{member}.__module__.startswith("headgate.{name}.")
from headgate.{name} import {member}
from headgate import {name}
for function in (headgate.{name}, {name}, headgate.{name}.{name}):
    try:
        function({arguments})
    except headgate.errors.HeadgateError as e:
        assert str(e).startswith({said!r}), e
    else:
        raise AssertionError("the function was not called")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
