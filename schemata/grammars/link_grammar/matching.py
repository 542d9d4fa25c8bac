"""Which connectors of a sentence match, looked up once per pair."""

from __future__ import annotations

from schemata.grammars.link_grammar.lengths import LengthLimits
from schemata.structures.connectors import Connector, connectors_match

__all__ = ["Matching"]


class Matching:
    """A table of matching connectors under length limits."""

    def __init__(self, limits: LengthLimits) -> None:
        self._limits = limits
        self._match: dict[tuple[Connector, Connector], bool] = {}
        self._reach: dict[Connector, int | None] = {}

    def reach(self, connector: Connector) -> int | None:
        """Return how far a connector reaches, None for any distance."""
        if connector not in self._reach:
            self._reach[connector] = self._limits.reach(connector)
        return self._reach[connector]

    def match(self, one: Connector, other: Connector, distance: int) -> bool:
        """Whether two connectors match and both reach over a distance."""
        pair = (one, other)
        found = self._match.get(pair)
        if found is None:
            found = self._match[pair] = connectors_match(one, other)
        if not found:
            return False
        return all((r := self.reach(c)) is None or distance <= r for c in pair)
