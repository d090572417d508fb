"""What papers have on the page of the explorer: a file for each kind of page."""
