"""Replays on the page: a trace that is sent through a queue as a person turns it, with the same answers as a run of a scenario."""
