"""The chart's back-pointers as a hypergraph: derivations, the structures they build, counting and listing."""
