"""Floyd and Jacobson 1991, traffic phase effects, as data."""
