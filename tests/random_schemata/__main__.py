"""`python -m tests.random_schemata`."""

from __future__ import annotations

import sys

from tests.random_schemata.compare import main

if __name__ == "__main__":
    sys.exit(main())
