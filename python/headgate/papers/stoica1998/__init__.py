"""Core-Stateless Fair Queueing (1998) as data; only its claims, tables and figures are code."""
