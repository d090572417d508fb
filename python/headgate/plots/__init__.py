"""Figures from a study."""
