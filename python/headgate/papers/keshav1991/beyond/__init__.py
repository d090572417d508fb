"""Beyond the thesis: packet-pair where the thesis did not go, or says without numbers that it fails (6.7 and 7.3.2).

Scenarios and predictions are ours. Values are means over the runs with random start phases, with 95 % Student intervals; without such
runs they are those of the base run.
"""

from .tables import study

__all__ = ["study"]
