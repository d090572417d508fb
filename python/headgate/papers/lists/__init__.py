"""Lists of `headgate list` that are about papers: a file each."""
