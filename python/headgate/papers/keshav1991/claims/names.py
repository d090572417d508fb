"""Names that the claims share."""

from __future__ import annotations

FTPS = ("1", "2", "3", "4", "5", "6")
TELNETS = ("7", "8")
SIX = ("G/FCFS", "G/FQ", "JK/FCFS", "JK/FQ", "DEC/DEC", "DEC/FQbit")
SEVEN = (*SIX, "PP/FQ")
FQS = ("G/FQ", "JK/FQ", "DEC/FQbit")
OFF, ON = (300.0, 600.0), (600.0, 900.0)
