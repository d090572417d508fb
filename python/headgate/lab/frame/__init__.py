"""What the judges share: subjects, runs on demand that are kept, and what is measured of them. Functions that a judge calls."""
