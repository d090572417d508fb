"""The papers that the explorer shows: those of a report, or one that is reproduced on the page."""
