"""Counts and lists of names in sentences, with the forms that they ask for: those of the engine's `crates/view/src/words.rs`.

>>> counted(1, "run"), counted(0, "run"), counted(12_000, "packet", commas=True), counted(2, "axis", "axes")
('1 run', '0 runs', '12,000 packets', '2 axes')
>>> f"{counted(1, 'flow')} {verb(1, 'shares', 'share')}", f"{counted(2, 'flow')} {verb(2, 'shares', 'share')}"
('1 flow shares', '2 flows share')
>>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed(list("abcdef"))
('a', 'a and b', 'a, b and c', 'a, b, c and 3 others')
"""

from .._core import counted as counted
from .._core import listed as listed
from .._core import verb as verb
