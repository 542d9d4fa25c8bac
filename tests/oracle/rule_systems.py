"""All systems over rules under the names their schemata are shipped with."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.cfg_systems import cyk, earley, left_corner
from tests.oracle.double_dotted import dvh1, dvh2, dvh3, head_corner3, head_corner5
from tests.oracle.rule_items import RuleSystem
from tests.oracle.single_dotted import barbero1998, bulc, kahane1998, lombardo_lesmo1996

__all__ = ["CFG_SYSTEMS", "DEPENDENCY_RULE_SYSTEMS"]

DEPENDENCY_RULE_SYSTEMS: dict[str, Callable[[], RuleSystem]] = {
    "lombardo-lesmo1996": lombardo_lesmo1996,
    "kahane1998": kahane1998,
    "bulc": bulc,
    "barbero1998": barbero1998,
    "head-corner5": head_corner5,
    "head-corner3": head_corner3,
    "dvh1": dvh1,
    "dvh2": dvh2,
    "dvh3": dvh3,
}

CFG_SYSTEMS: dict[str, Callable[[], RuleSystem]] = {
    "cyk": cyk,
    "earley": earley,
    "left-corner": left_corner,
}
