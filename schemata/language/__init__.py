"""From text to a checked schema: the Lark grammar, the syntax tree, names and types, diagnostics."""
