"""The commands of the judges: a file each."""
