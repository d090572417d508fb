"""The commands, a file each; ../README.md says how one is added."""
