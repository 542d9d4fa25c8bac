"""The Link Grammar schemata of the catalogue: a verdict on what is claimed of each, and its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.analysis.claims import LinkageClaim, linkage_claims
from schemata.analysis.linkage_verdict import LinkageVerdict
from schemata.analysis.verify_linkages import verify_linkages
from schemata.grammars.link_grammar import LinkGrammar
from schemata.workbench import load

__all__ = ["SIZE_DICTIONARY", "SIZE_SENTENCE", "LinkageRow", "linkage_catalogue"]

SIZE_DICTIONARY = """% Ten lines of English.
LEFT-WALL: W+;
the a: D+;
big black: A+;
cat dog.n park: {@A-} & D- & {@M+} & (O- or J- or ({W-} & S+));
Mary: {@M+} & (O- or J- or ({W-} & S+));
she: {W-} & S+;
ran sleeps: S- & {@MV+};
chased saw.v: S- & O+ & {@MV+};
in with: (M- or MV-) & J+;
today: MV-;
"""
"""The dictionary under which the schemata are measured."""

SIZE_SENTENCE = "Mary saw the big black cat in the park with a dog today"
"""The sentence on which they are measured."""


@dataclass(frozen=True, slots=True)
class LinkageRow:
    """One schema: its source, the claim, the verdict, and its items and step instances."""

    claim: LinkageClaim
    source: str | None
    verdict: LinkageVerdict
    items: int
    steps: int


def linkage_catalogue(
    max_n: int = 6, *, claims: Sequence[LinkageClaim] | None = None, seed: int = 0
) -> tuple[LinkageRow, ...]:
    """Verify every claim about a shipped Link Grammar schema.

    Parameters
    ----------
    max_n : to sentences of so many words, at least 2.
    claims : the claims to verify; all if None.
    seed : of the random dictionaries.
    """
    grammar = LinkGrammar.from_text(SIZE_DICTIONARY)
    rows = []
    for claim in linkage_claims() if claims is None else claims:
        schema = load(claim.name, **claim.parameters)
        verdict = verify_linkages(schema, claim.class_name, max(max_n, 2), seed=seed)
        chart = schema.run(SIZE_SENTENCE, grammar, engine="python")
        rows.append(
            LinkageRow(claim, schema.definition.reference, verdict, chart.item_count, chart.step_count)
        )
    return tuple(rows)
