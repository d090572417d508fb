"""Replays on the page: a trace is sent through a queue that the user changes, with the same responses as a run of a scenario."""
