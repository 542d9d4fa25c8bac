"""Fixtures of tests of the engine."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def hearing_ctrl_c() -> Iterator[None]:
    """Ctrl-C as it is in a terminal; a process in the background may have been told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
