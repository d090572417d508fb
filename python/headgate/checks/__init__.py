"""Runs made to find something out: whether shares depend on phase, where two runs part, and what runs cost."""
