from __future__ import annotations

import pytest

from ..captures import DATA, files


@pytest.mark.parametrize("name", files())
def test_captures_are_as_their_script_writes_them(name: str) -> None:
    assert (DATA / name).read_bytes() == files()[name]
