"""Data of one paper: see paper.toml."""
