"""Options and fixtures that all tests may use."""

from __future__ import annotations

import pytest

from tests.support.commands import cli

__all__ = ["cli"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--engine`: which engine is compared with the golden record."""
    parser.addoption("--engine", default="python", help="engine compared with the golden record")
