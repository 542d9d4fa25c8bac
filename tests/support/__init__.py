"""What tests of several rooms share: running by every engine, comparing charts, checks of orders, commands."""

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def each(*names: str) -> Callable[..., pytest.MarkDecorator]:
    """Return what runs a test on each row of a table: on a value, or on a tuple with a value for each name."""

    def rows(*found: Any, **settings: Any) -> pytest.MarkDecorator:
        return pytest.mark.parametrize(names if len(names) > 1 else names[0], found, **settings)

    return rows


@cache
def script(name: str) -> ModuleType:
    """Return a script of `.ci/` as a module, once for all tests."""
    spec = importlib.util.spec_from_file_location(f"ci_{name}", ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.modules.setdefault(name, module)  # scripts import each other so
    spec.loader.exec_module(module)
    return module


def titled_blocks(path: Path) -> dict[str, str]:
    """Return the blocks of a text file by title; each follows a line `=== TITLE`."""
    blocks = path.read_bytes().decode().split("\n=== ")[1:]
    found = dict(block.split("\n", maxsplit=1) for block in blocks)
    assert len(found) == len(blocks)
    return found
