"""What a run derived: items, step instances and their counts. Forests are made of it, engines fill it."""
