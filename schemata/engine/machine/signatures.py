"""The functions of a kernel module as others see them, and what the small language of kernels has not."""

from __future__ import annotations

import ast
from dataclasses import dataclass

__all__ = ["ELEMENTS", "Signature", "signature_of", "unknown"]

ELEMENTS = {
    "u8[]": ("i8", "zext"),
    "u16[]": ("i16", "zext"),
    "i32[]": ("i32", "sext"),
    "i64[]": ("i64", ""),
}  # of arrays: LLVM's type, and how it is widened


@dataclass(frozen=True, slots=True)
class Signature:
    """A kernel function: its name, its parameters as (name, type) and how many numbers it returns."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    results: int

    @property
    def returned(self) -> str:
        """The type it returns."""
        return "i64" if self.results == 1 else "{ " + ", ".join(["i64"] * self.results) + " }"


def signature_of(node: ast.FunctionDef) -> Signature:
    """Return the signature of a kernel function.

    Raises
    ------
    SyntaxError : a parameter is neither a number nor an array.
    """
    parameters = []
    for argument in node.args.args:
        kind = argument.annotation.value if isinstance(argument.annotation, ast.Constant) else None
        if kind != "int" and kind not in ELEMENTS:
            raise unknown(argument)
        parameters.append((argument.arg, str(kind)))
    results = 1
    if isinstance(node.returns, ast.Constant) and isinstance(node.returns.value, str):
        results = node.returns.value.count("int")
    return Signature(node.name, tuple(parameters), results)


def unknown(node: ast.AST) -> SyntaxError:
    """Return the error for something that is not part of the language."""
    found = SyntaxError(f"{type(node).__name__} is not part of the kernel language")
    found.lineno = getattr(node, "lineno", None)
    return found
