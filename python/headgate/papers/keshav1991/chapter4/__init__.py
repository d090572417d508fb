"""Chapter 4, packet-pair: the lemmas, the formulas and table 4.1 compared with the simulator.

The thesis proves and simulates nothing here: the benches are ours. A server is the line behind a gateway; what happened at it is read from
the trace of its backlog. Random chains and square waves are run by the study itself, everything else stands in `paper.toml`.
"""

from .tables import study

__all__ = ["study"]
