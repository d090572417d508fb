"""Chapter 3, the cost of Fair Queueing: what its tables and figures are made of.

The four structures are run one by one on each scenario, not fed from one recorded trace: a run takes a tenth of a second, and so the
equal digests show that all four give the same packets. Times and instructions are another matter: for them the calls of one run are
recorded and played through each structure alone.
"""

from .tables import study

__all__ = ["study"]
