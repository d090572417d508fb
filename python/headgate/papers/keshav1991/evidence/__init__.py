"""What chapters 6 and 7 conclude: each statement with how it is measured, what was measured, and whether it holds.

Sections 6.7 and 7.3 are read sentence by sentence; what no simulation can decide is listed as such. Thresholds are the statements'
own words ("nearly", "much"), put into numbers beside the measure, and never come from our runs.
"""

from .tables import study

__all__ = ["study"]
