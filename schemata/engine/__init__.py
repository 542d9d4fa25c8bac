"""From a program, a grammar and a sentence to a chart: the choice of an engine, runs within a budget, counts."""
