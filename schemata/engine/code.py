"""A small writer of indented Python with the tests of one place gathered into one `if`."""

from __future__ import annotations

__all__ = ["Code"]


class Code:
    """Lines of Python under construction.

    Tests are held back and written as one `if` before the next statement, which then stands inside it.
    """

    def __init__(self, depth: int = 0) -> None:
        self.lines: list[str] = []
        self.depth = depth
        self._tests: list[str] = []

    def test(self, expression: str) -> None:
        """Let everything that follows happen only where the expression holds."""
        if expression != "True" and expression not in self._tests:
            self._tests.append(expression)

    def line(self, text: str) -> None:
        """Write one statement."""
        self.settle()
        self.lines.append("    " * self.depth + text if text else "")

    def open(self, header: str) -> None:
        """Write a compound statement's header; what follows stands inside."""
        self.line(header)
        self.depth += 1

    def comment(self, text: str) -> None:
        """Write a comment line; tests stay held back."""
        self.lines.append("    " * self.depth + f"# {''.join(c if c.isprintable() else '?' for c in text)}")

    def settle(self) -> None:
        """Write the tests held back: whoever comes back to this depth later comes back to where they hold."""
        if not self._tests:
            return
        tests, self._tests = self._tests, []
        joined = tests[0] if len(tests) == 1 else " and ".join(_side(t) for t in tests)
        header = f"if {joined}:"
        self.lines.append("    " * self.depth + header)
        self.depth += 1


def _side(test: str) -> str:
    return f"({test})" if " or " in test else test
