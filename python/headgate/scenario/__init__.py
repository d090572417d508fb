"""A scenario: read from files, changed by paths, checked and run; the examples, the short names of flows, and what no parameter changes."""
