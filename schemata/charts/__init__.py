"""Charts: the items and step instances of a run and their counts. Engines fill them, forests are made of them."""
