"""How schemata are related: refinements, filters and contractions, decided with witnesses.

The definitions are Sikkel's (GCW11, section 4), and what is checked is the definition itself. For one length
of sentence a schema becomes a *ground system*: every item that its item forms allow, and every step instance
over them, each with the least grammar that has it. The instances come from the schema's own kernel, which is
run once with all items given and everything licensed (`spaces`, `universe`, `systems`). The maps of a relation
carry the items of one system to items of the other (`mapping`, `correspondence`). Then

- a step is emulated if the second system derives the image of its consequent from the images of its
  antecedents, under the least grammar of the instance and building what the step builds; the search for the
  shortest derivation is in `emulation`, what derivations build in `effects`;
- a filter is an inclusion of instances (`steps`, for all that goes step by step);
- an item refinement is a mapping of derivations (`derivations_mapped`), where the second half, that every
  derivation is an image, is decided by sets of preimages, as a tree automaton is made deterministic (`preimages`).

`relate` goes through the lengths and makes the answer (`answers`, with `bench` and `course` for what decisions
share): positive answers list how each step is emulated (`sequences`), negative ones the smallest instance that breaks
the definition. On top, `ask` finds the maps, `discovery` tries kinds and guessed maps (`guesses`), `field` decides
all that is claimed, and `transfer` lets verdicts travel.
"""
