"""Schemata written to mislead the prover, each close to one that is right: what is proved of one is what runs find.

Each is a shipped schema with a change in a corner of the method: contexts with licences and at positions before,
columns that nothing fixes, hypotheses and final items under conditions, numbers of words, hidden cuts, gaps.
"""

ATTACKS = {
    "ra: context flagged true": (
        "schema a extends arc-eager-once\n"
        "replace step ra\n"
        "  given span[i, true, j, _]\n"
        "  -------  licensed j to i, j <= n\n"
        "  span[j, true, j + 1, false]\n"
    ),
    "ra: context flagged false": (
        "schema a extends arc-eager-once\n"
        "replace step ra\n"
        "  given span[i, false, j, _]\n"
        "  -------  licensed j to i, j <= n\n"
        "  span[j, true, j + 1, false]\n"
    ),
    "ra: not for word 5": (
        "schema a extends arc-eager-once\n"
        "replace step ra\n"
        "  given span[i, _, j, _]\n"
        "  -------  licensed j to i, j <= n, j != 5\n"
        "  span[j, true, j + 1, false]\n"
    ),
    "ra: far contexts only": (
        "schema a extends arc-eager-once\n"
        "replace step ra\n"
        "  given span[i, _, j, _]\n"
        "  -------  licensed j to i, j <= n, j - i != 4\n"
        "  span[j, true, j + 1, false]\n"
    ),
    "ra: licence turned": (
        "schema a extends arc-eager-once\n"
        "replace step ra\n"
        "  given span[i, _, j, _]\n"
        "  -------  licensed i to j, j <= n\n"
        "  span[j, true, j + 1, false]\n"
    ),
    "ra: licence of another": (
        "schema a extends arc-eager-once\n"
        "replace step ra\n"
        "  given span[i, _, j, _]\n"
        "  -------  licensed j to i + 1, j <= n\n"
        "  span[j, true, j + 1, false]\n"
    ),
    "ra: context one before": (
        "schema a extends arc-eager-once\n"
        "replace step ra\n"
        "  given span[i, _, j - 1, _]\n"
        "  -------  licensed j to i, j <= n\n"
        "  span[j, true, j + 1, false]\n"
    ),
    "ra: context with f true": (
        "schema a extends arc-eager-once\n"
        "replace step ra\n"
        "  given span[i, _, j, true]\n"
        "  -------  licensed j to i, j <= n\n"
        "  span[j, true, j + 1, false]\n"
    ),
    "ra: not from the last": (
        "schema a extends arc-eager-once\n"
        "replace step ra\n"
        "  given span[i, _, j, _]\n"
        "  -------  licensed j to i, j <= n, i + 5 != n\n"
        "  span[j, true, j + 1, false]\n"
    ),
    "re: not over four": (
        "schema a extends arc-eager-once\n"
        "replace step re\n"
        "  span[i, b, k, _]   span[k, true, j, false]\n"
        "  -------  attach k to i, k - i != 4\n"
        "  span[i, b, j, false]\n"
    ),
    "re: under another": (
        "schema a extends arc-eager-once\n"
        "replace step re\n"
        "  span[i, b, k, _]   span[k, true, j, false]\n"
        "  -------  attach k to j, j <= n\n"
        "  span[i, b, j, false]\n"
    ),
    "re: flags apart": (
        "schema a extends arc-eager-once\n"
        "replace step re\n"
        "  span[i, false, k, _]   span[k, true, j, false]\n"
        "  -------  attach k to i\n"
        "  span[i, false, j, false]\n"
    ),
    "re: turns the flag": (
        "schema a extends arc-eager-once\n"
        "replace step re\n"
        "  span[i, b, k, _]   span[k, true, j, false]\n"
        "  -------  attach k to i\n"
        "  span[i, true, j, false]\n"
    ),
    "re: either flag": (
        "schema a extends arc-eager-once\n"
        "replace step re\n"
        "  span[i, b, k, _]   span[k, _, j, false]\n"
        "  -------  attach k to i\n"
        "  span[i, b, j, false]\n"
    ),
    "sh: context flagged true": (
        "schema a extends arc-eager-once\n"
        "replace step sh\n"
        "  given span[_, true, j, _]\n"
        "  -------  j <= n\n"
        "  span[j, false, j + 1, false]\n"
    ),
    "arc-eager: starts with true": (
        "schema a extends arc-eager-once\n"
        "replace hypothesis span[0, true, 1, false]\n"
        "replace final span[0, true, n + 1, _]\n"
    ),
    "hybrid: starts where n is not 6": (
        "schema a extends hybrid-once\nreplace hypothesis span[0, 1, false]  where n != 6\n"
    ),
    "hybrid: starts at 1": ("schema a extends hybrid-once\nreplace hypothesis span[1, 2, false]\n"),
    "hybrid: no spans to 7": (
        "schema a extends hybrid-once\n"
        "replace item span[i: position, j: position, f: flag]\n"
        "  where 0 <= i < j <= n + 1, j != 7\n"
    ),
    "hybrid: context flagged": (
        "schema a extends hybrid-once\n"
        "replace step sh\n"
        "  given span[_, j, true]\n"
        "  -------  j <= n\n"
        "  span[j, j + 1, false]\n"
    ),
    "hybrid: short contexts": (
        "schema a extends hybrid-once\n"
        "replace step sh\n"
        "  given span[i, j, _]\n"
        "  -------  j <= n, j - i <= 1\n"
        "  span[j, j + 1, false]\n"
    ),
    "hybrid: long contexts": (
        "schema a extends hybrid-once\n"
        "replace step sh\n"
        "  given span[i, j, _]\n"
        "  -------  j <= n, i <= 0\n"
        "  span[j, j + 1, false]\n"
    ),
    "hybrid: two contexts": (
        "schema a extends hybrid-once\n"
        "replace step sh\n"
        "  given span[i, j, _]   given span[i, j - 1, _]\n"
        "  -------  j <= n, j > 1\n"
        "  span[j, j + 1, false]\n"
    ),
    "hybrid: two contexts apart": (
        "schema a extends hybrid-once\n"
        "replace step sh\n"
        "  given span[_, j, _]   given span[_, j - 1, _]\n"
        "  -------  j <= n\n"
        "  span[j, j + 1, false]\n"
    ),
    "hybrid: shifts twice": (
        "schema a extends hybrid-once\n"
        "replace step sh\n"
        "  given span[_, j, _]\n"
        "  -------  j <= n\n"
        "  span[j, j + 1, false]\n"
        "step sh-again\n"
        "  given span[_, j, _]\n"
        "  -------  j <= n, j == 6\n"
        "  span[j, j + 1, false]\n"
    ),
    "hybrid: shift from the right": (
        "schema a extends hybrid-once\n"
        "replace step sh\n"
        "  given span[_, j, _]\n"
        "  -------  j <= n\n"
        "  span[j - 1, j, false]\n"
    ),
    "hybrid: la asks for a context": (
        "schema a extends hybrid-once\n"
        "replace step la\n"
        "  span[i, k, _]   span[k, j, _]   given span[j, _, _]\n"
        "  -------  attach k to j, j <= n\n"
        "  span[i, j, true]\n"
    ),
    "hybrid: the last shift is late": (
        "schema a extends hybrid-once\n"
        "replace step sh\n"
        "  given span[_, j, _]\n"
        "  -------  j <= n, j != n or n <= 6\n"
        "  span[j, j + 1, false]\n"
    ),
    "spans: combined with a context": (
        "schema a extends eisner1996-once\n"
        "replace step CombineSpans\n"
        "  span[i, j, b, c, _]   span[j, k, not c, d, false]   given span[k, _, _, _, _]\n"
        "  -------  i != j, j != k\n"
        "  span[i, k, b, d, true]\n"
    ),
    "spans: combined with a context within": (
        "schema a extends eisner1996-once\n"
        "replace step CombineSpans\n"
        "  span[i, j, b, c, _]   span[j, k, not c, d, false]   given span[j, j + 1, false, false, false]\n"
        "  -------  i != j, j != k\n"
        "  span[i, k, b, d, true]\n"
    ),
    "spans: a word after": (
        "schema a extends eisner1996-once\n"
        "replace step CombineSpans\n"
        "  span[i, j, b, c, _]   span[j, k, not c, d, false]   given word[k + 1]\n"
        "  -------  i != j, j != k\n"
        "  span[i, k, b, d, true]\n"
    ),
    "spans: two words after": (
        "schema a extends eisner1996-once\n"
        "replace step CombineSpans\n"
        "  span[i, j, b, c, _]   span[j, k, not c, d, false]   given word[k + 2]\n"
        "  -------  i != j, j != k\n"
        "  span[i, k, b, d, true]\n"
    ),
    "spans: an own context, above": (
        "schema a extends eisner1996-once\n"
        "replace step CombineSpans\n"
        "  span[i, j, b, c, _]   span[j, k, not c, d, false]   given span[i, k, b, d, true]\n"
        "  -------  i != j, j != k\n"
        "  span[i, k, b, d, true]\n"
    ),
    "goal: g is 0 or e": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position, g: position]  where 0 <= h <= e <= n, 0 <= g <= n\n"
        "step Goal\n"
        "  right[0, e]   word[g]\n"
        "  -------  g == 0 or g == e\n"
        "  goal[0, e, g]\n"
        "replace final goal[0, n, _]\n"
    ),
    "goal: g is 0 or 7": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position, g: position]  where 0 <= h <= e <= n, 0 <= g <= n\n"
        "step Goal\n"
        "  right[0, e]   word[g]\n"
        "  -------  g == 0 or g == 7\n"
        "  goal[0, e, g]\n"
        "replace final goal[0, n, _]\n"
    ),
    "goal: g is e": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position, g: position]  where 0 <= h <= e <= n, 0 <= g <= n\n"
        "step Goal\n"
        "  right[0, e]   word[g]\n"
        "  -------  g == e\n"
        "  goal[0, e, g]\n"
        "replace final goal[0, n, _]\n"
    ),
    "goal: g near 0": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position, g: position]  where 0 <= h <= e <= n, 0 <= g <= n\n"
        "step Goal\n"
        "  right[0, e]   word[g]\n"
        "  -------  g <= 0\n"
        "  goal[0, e, g]\n"
        "replace final goal[0, n, _]\n"
    ),
    "goal: g + g is e": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position, g: position]  where 0 <= h <= e <= n, 0 <= g <= n\n"
        "step Goal\n"
        "  right[0, e]   word[g]\n"
        "  -------  g + g == e\n"
        "  goal[0, e, g]\n"
        "replace final goal[0, n, _]\n"
    ),
    "goal: g is n - 6 or 0": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position, g: position]  where 0 <= h <= e <= n, 0 <= g <= n\n"
        "step Goal\n"
        "  right[0, e]   word[g]\n"
        "  -------  g == n - 6 or g == 0\n"
        "  goal[0, e, g]\n"
        "replace final goal[0, n, _]\n"
    ),
    "row: a free word below": (
        "schema a extends eisner-split\n"
        "replace step R-Complete\n"
        "  right_row[h, m]   right[m, e]   word[g]\n"
        "  -------  g == m or g == e\n"
        "  right[h, e]\n"
    ),
    "row: a free word far below": (
        "schema a extends eisner-split\n"
        "replace step R-Complete\n"
        "  right_row[h, m]   right[m, e]   word[g]\n"
        "  -------  g == e or g == e - 6\n"
        "  right[h, e]\n"
    ),
    "rows twice from afar": (
        "schema a extends eisner-split\n"
        "step R-Link-2\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h >= 6\n"
        "  right_row[h, m]\n"
    ),
    "rows in two parts": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h < 6\n"
        "  right_row[h, m]\n"
        "step R-Link-2\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h >= 6\n"
        "  right_row[h, m]\n"
    ),
    "rows in two parts that overlap": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h <= 6\n"
        "  right_row[h, m]\n"
        "step R-Link-2\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h >= 6\n"
        "  right_row[h, m]\n"
    ),
    "rows in two parts that do not meet": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h <= 5\n"
        "  right_row[h, m]\n"
        "step R-Link-2\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h >= 7\n"
        "  right_row[h, m]\n"
    ),
    "one step with two conditions that overlap": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h <= 6 or m - h >= 4\n"
        "  right_row[h, m]\n"
    ),
    "two finals": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position]  where 0 <= h <= e <= n\n"
        "step Goal\n"
        "  right[0, e]\n"
        "  -------  e >= 6\n"
        "  goal[0, e]\n"
        "final goal[0, n]\n"
    ),
    "two finals apart": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position]  where 0 <= h <= e <= n\n"
        "step Goal\n"
        "  right[0, e]\n"
        "  -------  e >= 6\n"
        "  goal[0, e]\n"
        "replace final right[0, n]  where n < 6\n"
        "final goal[0, n]\n"
    ),
    "two finals and a hole": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position]  where 0 <= h <= e <= n\n"
        "step Goal\n"
        "  right[0, e]\n"
        "  -------  e >= 7\n"
        "  goal[0, e]\n"
        "replace final right[0, n]  where n < 6\n"
        "final goal[0, n]\n"
    ),
    "a flag that is either": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position, f: flag]  where 0 <= h <= e <= n\n"
        "step Goal\n"
        "  right[0, e]\n"
        "  -------  \n"
        "  goal[0, e, true]\n"
        "step Goal-2\n"
        "  right[0, e]\n"
        "  -------  e == 7\n"
        "  goal[0, e, false]\n"
        "replace final goal[0, n, _]\n"
    ),
    "a cycle with an entry": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position]  where 0 <= h <= e <= n\n"
        "item again[h: position, e: position]  where 0 <= h <= e <= n\n"
        "step Goal\n"
        "  right[0, e]\n"
        "  -------  \n"
        "  goal[0, e]\n"
        "step Again\n"
        "  goal[h, e]\n"
        "  -------  \n"
        "  again[h, e]\n"
        "step Back\n"
        "  again[h, e]\n"
        "  -------  \n"
        "  goal[h, e]\n"
        "replace final goal[0, n]\n"
    ),
    "a cycle far away": (
        "schema a extends eisner-split\n"
        "item goal[h: position, e: position]  where 0 <= h <= e <= n\n"
        "item again[h: position, e: position]  where 0 <= h <= e <= n\n"
        "step Goal\n"
        "  right[0, e]\n"
        "  -------  e != 7\n"
        "  goal[0, e]\n"
        "step Again\n"
        "  goal[h, e]\n"
        "  -------  \n"
        "  again[h, e]\n"
        "step Back\n"
        "  again[h, e]\n"
        "  -------  \n"
        "  goal[h, e]\n"
        "replace final goal[0, n]\n"
    ),
    "hypotheses in two parts": (
        "schema a extends eisner-split\n"
        "replace hypothesis word[i]  where 0 <= i <= 4\n"
        "hypothesis word[i]  where 4 <= i <= n\n"
    ),
    "hypotheses in two parts and a hole": (
        "schema a extends eisner-split\n"
        "replace hypothesis word[i]  where 0 <= i <= 4, i <= n\n"
        "hypothesis word[i]  where 6 <= i <= n\n"
    ),
    "hypotheses at even places": (
        "schema a extends eisner-split\nreplace hypothesis word[i]  where 0 <= i <= n, i + i != 12\n"
    ),
    "hypotheses but in the middle": (
        "schema a extends eisner-split\n"
        "replace hypothesis word[i]  where 0 <= i <= n, i + i + 1 != n or i <= 2\n"
    ),
    "finals in two parts and a hole": (
        "schema a extends eisner-split\n"
        "replace final right[0, n]  where n <= 6\n"
        "final right[0, n]  where n >= 8\n"
    ),
    "finals in two parts": (
        "schema a extends eisner-split\n"
        "replace final right[0, n]  where n <= 6\n"
        "final right[0, n]  where n >= 5\n"
    ),
    "a final of any end": ("schema a extends eisner-split\nreplace final right[0, _]\n"),
    "a final of late ends": (
        "schema a extends eisner-split\nreplace final right[0, e]  where n <= e or 7 <= e\n"
    ),
    "a final of any beginning": ("schema a extends eisner-split\nreplace final right[_, n]\n"),
    "a root that is not the fourth": (
        "schema a extends collins1996-once\nreplace final tree[1, n, h]  where h != 4\n"
    ),
    "a root that is not the seventh from the right": (
        "schema a extends collins1996-once\nreplace final tree[1, n, h]  where h + 6 != n\n"
    ),
    "a root in the middle": (
        "schema a extends collins1996-once\nreplace final tree[1, n, h]  where h + h != n + 1\n"
    ),
    "trees of any end": ("schema a extends collins1996-once\nreplace final tree[1, _, _]\n"),
    "trees of any beginning from 7": (
        "schema a extends collins1996-once\nfinal tree[2, n, _]  where n >= 7\n"
    ),
    "R-Link where m != n": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m != n\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where m - h != n - 2": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h != n - 2\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where h + m != n": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, h + m != n\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where n < 7 or m - h < 3": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, n < 7 or m - h < 3\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where h + h + h != m + 3": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, h + h + h != m + 3\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where m != h + h + 6": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m != h + h + 6\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where e + 1 != n - 5": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, e + 1 != n - 5\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where m + m != n + h": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m + m != n + h\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where n - m != 5 or h == 0": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, n - m != 5 or h == 0\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where h + 7 != m or e == h": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, h + 7 != m or e == h\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where licensed h to m": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, licensed h to m\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where licensed m to h": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, licensed m to h\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where m - h != 7 or n != 8": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h != 7 or n != 8\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where h <= m - 1": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, h <= m - 1\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where e <= n - 1": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, e <= n - 1\n"
        "  right_row[h, m]\n"
    ),
    "R-Link where not (m == 6 and h == 0)": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, not (m == 6 and h == 0)\n"
        "  right_row[h, m]\n"
    ),
    "R-Link twice": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, attach m to h\n"
        "  right_row[h, m]\n"
    ),
    "R-Link under e": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to e\n"
        "  right_row[h, m]\n"
    ),
    "R-Link from e + 1": (
        "schema a extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach e + 1 to h\n"
        "  right_row[h, m]\n"
    ),
    "R-Link under e beyond seven": (
        "schema a extends eisner-split\n"
        "step R-Link-2\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to e, m - h == 7, h < e\n"
        "  right_row[h, m]\n"
    ),
    "R-Complete once more": (
        "schema a extends eisner-split\n"
        "replace step R-Complete\n"
        "  right_row[h, m]   right[m, e]   right[m, e]\n"
        "  -------  \n"
        "  right[h, e]\n"
    ),
    "R-Complete with a context": (
        "schema a extends eisner-split\n"
        "replace step R-Complete\n"
        "  right_row[h, m]   given right[m, e]\n"
        "  -------  \n"
        "  right[h, e]\n"
    ),
    "R-Complete with a context too": (
        "schema a extends eisner-split\n"
        "replace step R-Complete\n"
        "  right_row[h, m]   right[m, e]   given right[m, m]\n"
        "  -------  \n"
        "  right[h, e]\n"
    ),
    "R-Complete with a context of long halves": (
        "schema a extends eisner-split\n"
        "replace step R-Complete\n"
        "  right_row[h, m]   right[m, e]   given right[m, m + 1]\n"
        "  -------  \n"
        "  right[h, e]\n"
    ),
    "R-Complete anywhere": (
        "schema a extends eisner-split\n"
        "replace step R-Complete\n"
        "  right_row[h, m]   right[k, e]\n"
        "  -------  k == m or k == m + 1\n"
        "  right[h, e]\n"
    ),
    "R-Complete at m + 1": (
        "schema a extends eisner-split\n"
        "replace step R-Complete\n"
        "  right_row[h, m]   right[m + 1, e]\n"
        "  -------  \n"
        "  right[h, e]\n"
    ),
    "R-Complete links once more": (
        "schema a extends eisner-split\n"
        "replace step R-Complete\n"
        "  right_row[h, m]   right[m, e]\n"
        "  -------  attach m to h\n"
        "  right[h, e]\n"
    ),
    "es: combiners of single words": (
        "schema a extends eisner-satta1999-once\n"
        "replace step R-Combiner\n"
        "  tree[i, j, i, _]   tree[j, k, j, false]\n"
        "  -------  i != j\n"
        "  tree[i, k, i, true]\n"
    ),
    "es: combiners of all flags": (
        "schema a extends eisner-satta1999-once\n"
        "replace step R-Combiner\n"
        "  tree[i, j, i, _]   tree[j, k, j, _]\n"
        "  -------  i != j, j != k\n"
        "  tree[i, k, i, true]\n"
    ),
    "es: combiners of all flags far away": (
        "schema a extends eisner-satta1999-once\n"
        "replace step R-Combiner\n"
        "  tree[i, j, i, _]   tree[j, k, j, f]\n"
        "  -------  i != j, j != k, f == false or k - i == 7\n"
        "  tree[i, k, i, true]\n"
    ),
    "es: items without heads in the middle": (
        "schema a extends eisner-satta1999-once\n"
        "replace item tree[i: position, j: position, h: position, f: flag]\n"
        "  where 0 <= i <= j <= n, i <= h <= j\n"
    ),
    "collins: a link to the end": (
        "schema a extends collins1996-once\n"
        "replace step R-Link\n"
        "  tree[i, j, h1]   tree[j + 1, k, h2]\n"
        "  -------  attach h1 to k, k == h2\n"
        "  tree[i, k, h2]\n"
    ),
    "collins: the other head": (
        "schema a extends collins1996-once\n"
        "replace step R-Link\n"
        "  tree[i, j, h1]   tree[j + 1, k, h2]\n"
        "  -------  attach h1 to h2, k == h2\n"
        "  tree[i, k, h1]\n"
    ),
    "collins: any head far away": (
        "schema a extends collins1996-once\n"
        "replace step R-Link\n"
        "  tree[i, j, h1]   tree[j + 1, k, h2]\n"
        "  -------  attach h1 to h2, k == h2 or k - i == 7\n"
        "  tree[i, k, h2]\n"
    ),
    "collins: both steps are free at six": (
        "schema a extends collins1996-once\n"
        "replace step L-Link\n"
        "  tree[i, j, h1]   tree[j + 1, k, h2]\n"
        "  -------  attach h2 to h1, h1 != i + 6\n"
        "  tree[i, k, h1]\n"
    ),
    "collins: heads of other halves": (
        "schema a extends collins1996-once\n"
        "replace step L-Link\n"
        "  tree[i, j, h1]   tree[j + 1, k, h2]\n"
        "  -------  attach h2 to h1, h1 + h1 != i + k + 3\n"
        "  tree[i, k, h1]\n"
    ),
    "mp: any pair": (
        "schema a extends mcdonald-pereira2006\n"
        "replace step R-Next\n"
        "  right_row[h, s]   pair[t, m]\n"
        "  -------  attach m to h, s <= t\n"
        "  right_row[h, m]\n"
    ),
    "mp: first dependents by two steps": (
        "schema a extends mcdonald-pereira2006\n"
        "replace step R-First\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h\n"
        "  right_row[h, m]\n"
    ),
    "mp: first dependents by two steps, far": (
        "schema a extends mcdonald-pereira2006\n"
        "replace step R-First\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, h == e or m - h >= 7\n"
        "  right_row[h, m]\n"
    ),
    "mp: pairs at any place": (
        "schema a extends mcdonald-pereira2006\n"
        "replace step Pair\n"
        "  right[s, r]   left[r + 1, m]\n"
        "  -------  m - s != 6\n"
        "  pair[s, m]\n"
    ),
    "kc: a word between": (
        "schema a extends koo-collins2010-model2\n"
        "replace step R-Last\n"
        "  right_three[h, _, m]   word[g]\n"
        "  -------  h > 0, g <= n - 1\n"
        "  right_row[g, h, m]\n"
    ),
    "kc: only the word before": (
        "schema a extends koo-collins2010-model2\n"
        "replace step R-Last\n"
        "  right_three[h, _, m]   word[g]\n"
        "  -------  h > 0, g == h - 1\n"
        "  right_row[g, h, m]\n"
    ),
    "kc: not the word six before": (
        "schema a extends koo-collins2010-model2\n"
        "replace step R-Last\n"
        "  right_three[h, _, m]   word[g]\n"
        "  -------  h > 0, g + 6 != h\n"
        "  right_row[g, h, m]\n"
    ),
    "kc: also the root": (
        "schema a extends koo-collins2010-model2\n"
        "replace step R-Last\n"
        "  right_three[h, _, m]   word[g]\n"
        "  -------  \n"
        "  right_row[g, h, m]\n"
    ),
    "hook: hung up anywhere": (
        "schema a extends arc-standard-hook-once\n"
        "replace step Ra\n"
        "  tree[i, h1, k]   hookr[h, k, j]\n"
        "  -------  h <= h1\n"
        "  tree[i, h1, j]\n"
    ),
    "hook: hooks that forget more": (
        "schema a extends arc-standard-hook-once\n"
        "replace step Ra\n"
        "  tree[i, h1, l]   hookr[h1, k, j]\n"
        "  -------  l == k or l + 7 == k\n"
        "  tree[i, h1, j]\n"
    ),
    "hook: hooks of far heads": (
        "schema a extends arc-standard-hook-once\n"
        "replace step RaHook\n"
        "  tree[k, h2, j]\n"
        "  -------  attach h2 to h1, 0 <= h1 < k, k - h1 != 6\n"
        "  hookr[h1, k, j]\n"
    ),
    "hook: hooks that have been hung": (
        "schema a extends arc-standard-hook-once\n"
        "step Hook2\n"
        "  hookr[h, k, j]\n"
        "  -------  0 < h\n"
        "  hookr[h - 1, k, j]\n"
    ),
    "hook: turned": (
        "schema a extends arc-standard-hook-once\n"
        "replace step RaHook\n"
        "  tree[k, h2, j]\n"
        "  -------  attach h1 to h2, 0 < h1 < k\n"
        "  hookr[h1, k, j]\n"
    ),
    "a parameter that bounds rows": (
        "schema a(d = 6) extends eisner-split\n"
        "replace step R-Link\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h <= d\n"
        "  right_row[h, m]\n"
    ),
    "a parameter that starts a step": (
        "schema a(d = 6) extends eisner-split\n"
        "step R-Link-2\n"
        "  right[h, e]   left[e + 1, m]\n"
        "  -------  attach m to h, m - h > d\n"
        "  right_row[h, m]\n"
    ),
    "wg1: roots but the first": ("schema a extends wg1\nreplace final tree[1, n, h, -, -]  where h != 1\n"),
    "wg1: finals without their head": (
        "schema a extends wg1\nreplace final tree[2, n, 1, -, -]\nfinal tree[1, n, h, -, -]  where h != 1\n"
    ),
    "wg1: a last gap": ("schema a extends wg1\nfinal tree[1, n, _, 3, 3]  where n >= 5\n"),
    "wg1: words but the last": (
        "schema a extends wg1\nreplace hypothesis tree[h, h, h, -, -]  where 1 <= h <= n, h != n or n <= 4\n"
    ),
    "wg1: a context": (
        "schema a extends wg1\n"
        "replace step Combine Ungapped\n"
        "  tree[i, j, h, -, -]   tree[j + 1, k, h, -, -]   given tree[h, h, h, -, -]\n"
        "  -------  \n"
        "  tree[i, k, h, -, -]\n"
    ),
    "wg1: licence of another": (
        "schema a extends wg1\n"
        "replace step Combine Ungapped\n"
        "  tree[i, j, h, -, -]   tree[j + 1, k, h, -, -]\n"
        "  -------  licensed h to 0\n"
        "  tree[i, k, h, -, -]\n"
    ),
    "wg1: finals of the first word": ("schema a extends wg1\nreplace final tree[1, 1, _, -, -]\n"),
    "wg1: finals of one word": ("schema a extends wg1\nreplace final tree[h, h, h, -, -]\n"),
    "wg1: finals of the last": ("schema a extends wg1\nreplace final tree[n, n, _, -, -]\n"),
}
