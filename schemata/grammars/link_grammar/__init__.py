"""Link Grammar dictionaries in the 4.0.dict format, and the disjuncts that they give the words of a sentence.

A dictionary says how each word may be linked. `LinkGrammar` reads one; for a sentence it gives
`SentenceDisjuncts`: the disjuncts of each word, without those that cannot be in any linkage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.quick_start import lazy_names

if TYPE_CHECKING:
    from schemata.grammars.link_grammar.grammar import LinkGrammar as LinkGrammar
    from schemata.grammars.link_grammar.sequences import SentenceDisjuncts as SentenceDisjuncts

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"grammar": "LinkGrammar", "sequences": "SentenceDisjuncts"}
)
