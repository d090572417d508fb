"""Numbers in units that people read, 80 kbit/s and not 80000 bit/s: those of the engine's `crates/view/src/words.rs`.

>>> scale_of("s", [0.002, 0.3]), scale_of("bit/s", [5e7]), scale_of("packets", [5e7])
((1000.0, 'ms'), (1e-06, 'Mbit/s'), (1.0, 'packets'))
>>> percent(0.9968), rate_text(19_970_000), time_text(0.0123)
('99.7 %', '20 Mbit/s', '12.3 ms')
"""

from .._core import LEAST_TIME as LEAST_TIME
from .._core import percent as percent
from .._core import rate_text as rate_text
from .._core import scale_of as scale_of
from .._core import time_text as time_text
