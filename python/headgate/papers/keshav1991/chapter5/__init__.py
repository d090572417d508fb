"""Chapter 5, the control-theoretic approach: its formulas computed, beside what is printed, and a bench on which they are measured.

What the thesis prints of this chapter are formulas and statements. Where it contradicts itself both forms are computed: `printed` and
the one that follows from its own equations. Check values, computed apart, stand in the `ch5_*.csv` files.
"""

from .tables import study

__all__ = ["study"]
