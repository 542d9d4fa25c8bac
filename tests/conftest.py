"""Options of the tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--engine`: which engine is compared with the golden record."""
    parser.addoption("--engine", default="python", help="engine compared with the golden record")
