"""Lines of generated code at a depth of indentation."""

from __future__ import annotations

__all__ = ["Lines"]


class Lines:
    """Text that grows line by line; `open` begins a block, `close` ends the last ones."""

    def __init__(self, depth: int = 0) -> None:
        self.text: list[str] = []
        self.depth = depth

    def line(self, text: str) -> None:
        """Add a line."""
        self.text.append("    " * self.depth + text)

    def open(self, text: str) -> None:
        """Add a line that begins a block."""
        self.line(text)
        self.depth += 1

    def close(self, blocks: int = 1) -> None:
        """End blocks."""
        self.depth -= blocks

    def add(self, other: Lines) -> None:
        """Add the lines of another, moved to this depth."""
        self.text += [("    " * self.depth + t) if t else t for t in other.text]
