"""A course: lessons on paper, as a sheet for those who learn and a key for those who teach. `headgate course` writes both."""
