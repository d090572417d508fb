"""The commands of papers: a file each."""
