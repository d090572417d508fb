"""`python -m tests.referee_mutants` judges every mutant and its original by all cases."""

import sys

from .run import main

if __name__ == "__main__":
    sys.exit(main())
