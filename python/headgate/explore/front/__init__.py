"""The start page: a builder with the questions of `headgate quick`, and cards of lessons, examples, papers and files."""
