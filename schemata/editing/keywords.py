"""The words of the schema language with their explanations: for hover, completion, and the colours of editors.

The keywords themselves are those of `schemata.language.pieces`; a test compares.
"""

from __future__ import annotations

from collections.abc import Mapping

KEYWORDS: Mapping[str, tuple[str, str]] = {
    "schema": ("schema NAME(k = 1) extends OTHER  where k >= 1", "Names the schema; the first line of its file."),
    "title": ('title "..."', "The title of the schema, in quotes."),
    "source": ('source "..."', "Where the schema is published."),
    "grammar": ("grammar d-rules", "The kind of grammar that the schema asks; d-rules without this line."),
    "structure": ("structure dependency graph", "What the atoms that steps build make up."),
    "define": ("define NAME(b, c) = CONDITIONS", "An abbreviation for conditions."),
    "type": ("type category = symbol | category / category", "A type of terms, by its constructors."),
    "relation": ("relation NAME(a: symbol, w: word)", "A relation that the grammar provides as facts."),
    "input": ("input source, target", "Several sentences that are read at once."),
    "item": ("item NAME[i: position, j: position]  where CONDITIONS", "An item form: its fields with types."),
    "hypothesis": ("hypothesis NAME[i]  where 1 <= i <= n", "Items that are there from the beginning."),
    "normal form": ("normal form\n  ITEM = ITEM  if CONDITIONS", "Several writings of one item, and the normal one."),
    "part": ("part NAME", "A rule of which steps are composed; no step itself."),
    "step": ("step NAME\n  ITEM   ITEM\n  -----------  CONDITIONS\n  ITEM", "An inference rule, or several as cases."),
    "mirror step": ("mirror step R-Link as L-Link", "A step that is the mirror image of another."),
    "mirror": ("mirror span[i, j] = span[j, i]", "How items of a form look in the mirror."),
    "final": ("final NAME[1, n]", "The items that a sentence is accepted with."),
    "means": (
        "means ITEM: trees HEADS over WORDS, CLASS  where CONDITIONS",
        "What an item stands for: the forests that its derivations build, which verify --items tests.",
    ),
    "replace item": ("replace item NAME[...]", "An item form in place of the inherited one."),
    "replace hypothesis": ("replace hypothesis NAME[...]", "Hypotheses in place of the inherited ones."),
    "replace step": ("replace step NAME", "A step in place of the inherited one."),
    "replace final": ("replace final NAME[...]", "Final items in place of the inherited ones."),
    "without step": ("without step NAME", "Leaves an inherited step out."),
    "kind": ("kind step-refinement", "The kind of a relation between two schemata."),
    "requires": ("requires links from rules", "What a relation needs of the grammar."),
    "through": ("through SCHEMA, SCHEMA", "The schemata that a chain of relations passes."),
    "for": ("for d in [1..3]", "The values of a variable of a relation file."),
    "map": ("map ITEM to ITEM  where CONDITIONS", "What items of one schema become in the other."),
}  # fmt: skip

CONDITIONS: Mapping[str, tuple[str, str]] = {
    "attach": ("attach d to h", "The grammar licenses the link of d to its head h, and the step builds it."),
    "licensed": ("licensed d to h", "The grammar licenses the link, which is not built."),
    "link": ("link d to h", "The step builds the link of d to its head h."),
    "builds": ("builds bracket(A, i, j)", "The step builds an atom."),
    "head": ("head h", "Word h heads what the step builds."),
    "root": ("root S", "S may be the root."),
    "rule": ("rule A(*alpha)", "The grammar has the rule."),
    "category": ("category h is A", "Word h may be of category A."),
    "corner": ("corner A of E", "A is a left corner of E."),
    "disjunct": ("disjunct *R / *L of z", "Word z has a disjunct with these requirements."),
    "join": ("join i to j by x ~ y", "Connectors match, and the step builds the link between the words."),
    "same word": ("same word i, j", "The words at i and j are equal."),
    "weight": ("weight 0.5", "What an instance of the step weighs."),
    "given": ("given ITEM", "A context antecedent: it licenses the step, and contributes no structure."),
    "where": ("where CONDITIONS", "Conditions on what stands before."),
    "case": ("case LABEL", "Begins one of several rules of a step."),
    "composed of": ("composed of PART; PART", "The rule is that of parts, one after the other."),
    "extends": ("schema NAME extends OTHER", "The schema has all that the other one declares."),
    "length": ("length(L)", "The number of elements of a list."),
    "absent": ("l is absent", "The value of an optional field is not there."),
    "present": ("l is present", "The value of an optional field is there."),
    "empty": ("L is empty", "The list has no elements."),
}  # fmt: skip

CLAIMS: Mapping[str, str] = {
    "trees": "The words that head the trees of the forests: trees i, *H, x for (x, false) in L.",
    "over": "The words of the forests: over [i..j] minus [l..r].",
    "with": "Single words beside them: with h and k.",
    "open": "The words that can still take dependents behind the forest: open i, x for (x, _) in L.",
    "link": "A link that the forests have: link m to h; that they have not: not link m to h.",
    "one": "The forests have just one such link: one link _ to h.",
    "several": "The forests have two such links or more: several links _ to h.",
    "links": "As many links: a links _ to h. Which links cross some: links between x and [i..j] crossed by i.",
    "connected": "Two words are in one tree: i connected to j, i connected to j iff b, i not connected to j.",
    "if": "A word is a head or not: trees i if not b, j.",
    "below": "Leaves the heads of the trees out of a class: below gap-degree-1.",
    "for": "Words of a list: x for (x, false) in L.",
    "projective": "The words below each word are an interval.",
    "well-nested": "No two subtrees interleave.",
    "1ec": "The links that cross any one link have an end in common.",
    "covington-lsup": "No word, but those under 0, has both its head and a dependent to its left.",
    "head-first": "Each word stands behind its head.",
    "length-1": "Links are so many words long at most, but those of 0.",
    "gap-degree-1": "The words below each word are at most two intervals.",
    "mg-1": "Mildly ill-nested: the dependents of each head are joined two at a time with one gap.",
}  # fmt: skip
"""The words of claims about items."""

TYPES: Mapping[str, str] = {
    "position": "A place in the sentence: a number.",
    "integer": "A number that is not a position.",
    "flag": "`true` or `false`.",
    "symbol": "A category or another symbol of the grammar.",
    "intervals": "Intervals of positions from left to right, with a gap between any two.",
    "arcs": "A set of arcs, pairs of a dependent and its head.",
    "labels": "A sequence of connectors.",
    "list of position": "A list of positions.",
    "dotted rule": "A rule of the grammar with a dot.",
    "double-dotted rule": "A rule of the grammar with two dots.",
    "dotted labels": "A sequence of connectors with a dot.",
}
ARGUMENT_TYPES = ("symbol", "word", "number", "list of symbol")
"""The types of the arguments of declared relations."""
