"""The referee: cases from the documents by which flow controls and AQMs are judged, each with a verdict and the evidence for it."""

from .case import Case as Case
from .files import cases as cases
from .files import read as read
from .judge import judge as judge
from .report import RefereeReport as RefereeReport
