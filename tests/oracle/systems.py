"""All D-rule systems of the oracle under the names their schemata are shipped with."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle import gapped, nonprojective, projective, tabulated, unlexicalised
from tests.oracle.naive import Grammar, System

__all__ = ["D_RULE_SYSTEMS", "d_rule_system"]

D_RULE_SYSTEMS: dict[str, Callable[..., System[Grammar]]] = {
    "collins1996": projective.collins1996,
    "eisner1996": projective.eisner1996,  # end = 0 or 1
    "eisner-satta1999": projective.eisner_satta1999,
    "generalised-eisner-satta": projective.generalised_eisner_satta,
    "yamada-matsumoto2003": projective.yamada_matsumoto2003,
    "nivre2003": projective.nivre2003,
    "covington-lsup": projective.covington_lsup,
    "mh": nonprojective.mh,  # k >= 3
    "attardi2006": nonprojective.attardi2006,  # d >= 1
    "attardi-unbounded": nonprojective.attardi_unbounded,
    "covington2001": nonprojective.covington2001,
    "arc-standard": tabulated.arc_standard,
    "arc-standard-hook": tabulated.arc_standard_hook,
    "arc-eager": tabulated.arc_eager,
    "arc-eager-published": tabulated.arc_eager_published,
    "hybrid": tabulated.hybrid,
    "wg1": gapped.wg1,
    "wg1-unlexicalised": unlexicalised.wg1_unlexicalised,
    "mg1": gapped.mg1,
    "wgk": gapped.wgk,  # k >= 1
    "wgk-published": gapped.wgk_published,  # k >= 1
    "mgk": gapped.mgk,  # k >= 1
}


def d_rule_system(name: str, **parameters: int) -> System[Grammar]:
    """Return a D-rule system by its shipped name; parameters by keyword, with the schemata's defaults."""
    return D_RULE_SYSTEMS[name](**parameters)
