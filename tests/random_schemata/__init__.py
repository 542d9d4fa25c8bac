"""Random schemata: the text of valid schema files, with all of the language but extension and labels of Link Grammar.

Over dictionaries there are variants of the shipped schemata (`writer.random_over_dictionaries`).

    python -m tests.random_schemata --count 5000 --seed 1 --engines python,agenda,hashed,ordered [--jobs 2]

runs each on the naive reading and on every engine and compares all they derive; the first schema on which they
differ is printed, with all left out that the difference does not need. The engines: python, native (what a user
gets), agenda and ordered (native kernels of one kind), hashed (the agenda over hash tables), checked-agenda,
checked-hashed and checked-ordered (in Python, with every index tested), and matcher (the instances read back by
`schemata why-not`'s matcher). In one of three, some thresholds are on the other side (`compare.TURNED`). Schemata
that take more than some seconds, or derive more than can be compared, are given up and counted.
"""
