"""Addresses of Dask schedulers that mean nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import ROOT, Cli


@pytest.mark.parametrize(("address", "said"), [("nonsense", "missing port"), ("foo://a:1", "scheme 'foo'")])
def test_an_address_that_means_nothing_is_one_line(address: str, said: str, cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    study = ROOT / "scenarios" / "queues-and-rates.toml"
    done = cli("sweep", study, "--engine", "dask", "--address", address, "--out", tmp_path / "study")
    assert done.returncode == 2
    # Dask's own traceback would come after this line.
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith(f"error: --address {address}: expected the address of a Dask scheduler; ")
    assert said in done.stderr
