"""What tests of several rooms share: running by every engine, comparing charts, checks of orders, commands."""

from __future__ import annotations

from pathlib import Path


def titled_blocks(path: Path) -> dict[str, str]:
    """Return the blocks of a text file by title; each follows a line `=== TITLE`."""
    blocks = path.read_bytes().decode().split("\n=== ")[1:]
    found = dict(block.split("\n", maxsplit=1) for block in blocks)
    assert len(found) == len(blocks)
    return found
