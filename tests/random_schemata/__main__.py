"""`python -m tests.random_schemata`."""

import sys

from tests.random_schemata.compare import main

if __name__ == "__main__":
    sys.exit(main())
