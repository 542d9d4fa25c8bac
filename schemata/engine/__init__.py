"""From a schema, a grammar and a sentence to a chart: join planning, generated kernels, budgets, counts."""
