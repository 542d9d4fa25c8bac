"""What tests of several rooms share: running by every engine, comparing charts, checks of orders, commands."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
TREEBANKS = next((p for p in (up / "shared/treebanks" for up in ROOT.parents) if p.is_dir()), ROOT / "none")
EWT = TREEBANKS / "UD_English-EWT/en_ewt-ud-dev.conllu"
needs_treebanks = pytest.mark.skipif(not EWT.is_file(), reason="the shared treebanks are not here")


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
    """Return the blocks of a text file by title; each follows a line `=== TITLE`, and blank lines end it."""
    blocks = path.read_bytes().decode().split("\n=== ")[1:]
    found = dict(block.rstrip("\n").split("\n", maxsplit=1) for block in blocks)
    assert len(found) == len(blocks)
    return found
