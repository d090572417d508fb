"""What the runs of a scenario gave: tables and their files, columns, summaries, fairness, groups of flows, and sentences about them."""
