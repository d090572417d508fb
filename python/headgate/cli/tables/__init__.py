"""What commands print for people: a file for each command that has tables. Loaded only once there is a result to show."""
