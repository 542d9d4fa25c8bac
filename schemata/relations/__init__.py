"""How schemata are related: refinements, filters and contractions, decided with witnesses.

The definitions are Sikkel's (GCW11, section 4), and the check follows them literally. For one length
of sentence a schema becomes a *ground system*: every item that its item forms allow, and every step instance
over them, each with the least grammar that has it. The instances come from the schema's own kernel, which is
run once with all items given and everything licensed (`universe`, `systems`). The maps of a relation
carry the items of one system to items of the other (`mapping`). Then

- a step is emulated if the second system derives the image of its consequent from the images of its
  antecedents, under the least grammar of the instance, building the same links; a filter is an inclusion
  of instances (`emulation`);
- an item refinement is a mapping of derivations (`decide`).

`decide` goes through the lengths and makes the answer (`answers`): positive answers list how each step is emulated,
negative ones the smallest instance that breaks the definition. On top, `discovery` finds kinds and maps that nobody
has named and decides all claims of shipped files, and `consequences` transfers verdicts and counts the items
and steps that relations save.
"""
