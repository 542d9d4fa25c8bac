"""Walking syntax nodes: the names in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from schemata.language.source import Span
from schemata.language.syntax.terms import Name, Star

__all__ = ["names_in"]


def names_in(node: object) -> Iterator[Name | Star]:
    """Yield the names and sequence variables in a syntax node, in order, with repetitions."""
    match node:
        case Name() | Star():
            yield node
        case Span():
            return
        case tuple():
            for part in node:
                yield from names_in(part)
        case _ if is_dataclass(node):
            for part in fields(node):
                yield from names_in(getattr(node, part.name))
