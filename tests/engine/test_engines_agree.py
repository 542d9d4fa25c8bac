"""Small schemata on which engines once differed: all engines against the naive reading, down to forests."""

from __future__ import annotations

from functools import cache

import pytest

from schemata import ParsingSchema
from schemata.engine.chart import Chart
from schemata.errors import UsageError
from tests.oracle.naive import all_links
from tests.random_schemata.compare import grammars
from tests.support.charts import schema_of
from tests.support.engines import KERNELS, Refused, TooLarge, differences, has_order, is_lowerable, run

ENGINES = ["python", *KERNELS]

SUM = "a level that is a sum, and halves of it"
UNDERIVED = "lists of a kind that nothing derives"
COVERS = "a normal form by what is covered, with a flag and a symbol besides"
AGENDA = (
    "flags computed in lists and tuples",
    COVERS,
    SUM,
    UNDERIVED,
)  # of which no order is proved or followed
SCHEMATA = {
    "a symbol that only one alternative of a condition names": """
hypothesis word[i]  where 0 <= i <= n + 1
item gap[i: position, C: symbol]

step Init
  word[x]
  ----------
  gap[x, "B"]

final gap[1 - i, T]  where not (T != "A") or (1 != i)
""",
    "a licence that asks for the length of a list": """
hypothesis word[i]  where 1 <= i <= n
item row[i: position, M: list of position]  where 1 <= i <= n, length(M) < 4
item long[i: position, M: list of position]

step Start
  word[i]
  ----------
  row[i, <i>]

step Add
  given word[m]   row[i, M]
  -------------------------  attach m to length(M)
  row[i, <m, *M>]

step Lengthen
  given word[m]   row[i, M]
  -------------------------
  long[m, <i, *M>]

step Ask
  given word[m]   long[_, M]
  --------------------------  licensed m to length(M)
  long[m, <>]

final row[n, <_, _>]
""",
    "parts of a tuple that may be absent": """
hypothesis word[i]  where 1 <= i <= n
item mark[i: position, t: (position, flag)?, L: list of (position, flag)?]  where 1 <= i <= n, length(L) < 3

step Start
case with none
  word[i]
  -------------
  mark[i, -, <>]
case with one
  word[i]
  -------------
  mark[i, (i, i == 1), <-, (i, false)>]

step Next
  mark[i, (j, not b), <*A, (k, c), *_>]   mark[_, (j, b), <*((_, _))>]   word[i + 1]
  ----------------------------------------------------------------------------------
  mark[i + 1, (k, c), <*A, (j, b)>]

step Drop
  mark[i, t?, <_, *_>]   mark[j, (i, b), A]
  -----------------------------------------
  mark[j, t, <(i, b), *A>]

final mark[n, (_, b), <*_, (_, b)>]
final mark[n, -, _]
""",
    "partners of which nothing else is asked": """
hypothesis word[i]  where 1 <= i <= n
item span[i: position, j: position, k: position]  where 1 <= i <= j <= n, 1 <= k <= n

step Start
  word[i]   word[j]
  -----------------
  span[i, j, j]

step Join
  span[i, j, _]   span[j + 1, k, _]   word[_]
  -------------------------------------------  i < k
  span[i, k, i]

final span[1, n, _]
""",
    "flags computed in lists and tuples": """
hypothesis word[i]  where 1 <= i <= n
item row[i: position, L: list of (position, flag), t: (flag, position?)]  where 1 <= i <= n, length(L) <= 2

step Start
  word[i]
  ----------------------------------
  row[i, <(i, i == 1)>, (i < n, -)]

step Next
  row[i, <*A, (j, b)>, (c, l?)]   word[i + 1]
  -------------------------------------------------------
  row[i + 1, <(j, not b or j < i)>, (b and c, i + 1)]

final row[n, <*_, (_, true)>, (_, l)]  where l > 1
""",
    "an equation for twice a variable, and a later one that solves it": """
hypothesis word[i]  where 1 <= i <= n
item item[i: position, j: position]  where 1 <= i <= n, 1 <= j <= n

step Init
  word[y]   word[j]
  -----------------  n + i == 5 - i, i == y
  item[y, j]

final item[1, n]
""",
    "a range that conditions imply together": """
hypothesis word[i]  where 1 <= i <= n
item pair[i: position, j: position]  where 1 <= i <= j, i - j >= 0, j <= n

step Any
  ----------  i in [1..n], j in [i..i]
  pair[i, j]

final pair[n, n]
""",
    "a symbol in an equation": """
hypothesis word[i]  where 1 <= i <= n
item mark[i: position, j: position, C: symbol]  where 1 <= i <= n, 1 <= j <= n

normal form
  mark[i, j, "B"] = mark[i, j, "A"]  if i < j or j == n

step Start
  word[i]   word[j]
  -----------------
  mark[i, j, "B"]

step Next
  mark[i, j, "B"]   mark[j, k, "A"]
  ---------------------------------  i < j
  mark[i, k, "A"]

final mark[1, n, C]  where C == "B"
""",
    "an equation for twice a variable": """
hypothesis word[i]  where 0 <= i <= n
item half[i: position, j: position, k: position]

step Start
  word[x]   word[k]
  -----------------  r == x, n - k - r == r + n
  half[x, r, k + x - r]

final half[1, 1 - r, j]
""",
    "cases that differ in which antecedents are context": """
hypothesis word[i]  where 1 <= i <= n
item span[i: position, j: position]  where 1 <= i <= j <= n

step Start
  word[i]
  ----------
  span[i, i]

step Join
case both
  span[i, j]   span[j + 1, k]
  ---------------------------  attach i to k
  span[i, k]
case the left one only
  span[i, j]   given span[j + 1, k]
  ---------------------------------  attach i to k
  span[i, k]
case the right one only
  given span[i, j]   span[j + 1, k]
  ---------------------------------  attach i to k
  span[i, k]

final span[1, n]
""",
    "a hypothesis in no normal form that looks like another writing of a derived item": """
hypothesis word[i]  where 1 <= i <= n
hypothesis pair[n, i]  where 1 <= i <= n
item pair[i: position, j: position]  where 1 <= i <= n, 1 <= j <= n
item seen[i: position, j: position, k: position]  where 1 <= i <= n, 1 <= j <= n, 1 <= k <= n

normal form
  pair[i, j] = pair[j, i]  if j < i

step Make
  word[i]   word[j]
  -----------------  i > j
  pair[i, j]

step See
  word[i]   pair[i, j]   word[j]   word[k]
  ----------------------------------------
  seen[i, j, k]

step See Both
  pair[i, j]   pair[j, i]
  -----------------------
  seen[i, i, j]

final pair[n, j]  where j < n
final seen[1, _, n]
""",
    "a hypothesis in normal form that steps derive under another writing": """
hypothesis word[i]  where 1 <= i <= n
hypothesis pair[i, n]  where 1 <= i <= n
item pair[i: position, j: position]  where 1 <= i <= n, 1 <= j <= n
item seen[i: position, j: position, k: position]  where 1 <= i <= n, 1 <= j <= n, 1 <= k <= n

normal form
  pair[i, j] = pair[j, i]  if j < i

step Make
  word[i]   word[j]
  -----------------  i > j
  pair[i, j]

step See
  word[i]   pair[i, j]   word[j]   word[k]
  ----------------------------------------
  seen[i, j, k]

step See Both
  pair[i, j]   pair[j, i]
  -----------------------
  seen[i, i, j]

final pair[n, j]  where j < n
final seen[1, _, n]
""",
    "a bounded list in a condition on categories": """
hypothesis word[i]  where 0 <= i <= n
item span[i: position, L: list of position]  where length(L) < 3

step Start
  word[j]
  ---------
  span[j, <j>]

step Longer
  span[k, A]   word[j]
  --------------------  category length(A) is F, category j is F
  span[k, <*A, j>]

final span[0, L]
""",
    "cases that differ in the heads they link": """
hypothesis word[i]  where 1 <= i <= n
item span[i: position, j: position]  where 1 <= i <= j <= n

step Start
  word[i]
  ----------  head i
  span[i, i]

step Join
case to the left
  span[i, j]   span[j + 1, k]
  ---------------------------  link head of 2 to head of 1
  span[i, k]
case to the right
  span[i, j]   span[j + 1, k]
  ---------------------------  link head of 1 to head of 2
  span[i, k]

final span[1, n]
""",
    "cases that differ in the head they name": """
hypothesis word[i]  where 1 <= i <= n
item span[i: position, j: position]  where 1 <= i <= j <= n

step Start
case its left end
  word[i]   word[j]
  -----------------  head i
  span[i, j]
case its right end
  word[i]   word[j]
  -----------------  head j
  span[i, j]

step Join
  span[i, j]   span[j + 1, k]
  ---------------------------  link head of 2 to head of 1
  span[i, k]

final span[1, n]
""",
    COVERS: """
hypothesis t[h, h, h, <>, false, "A"]  where 1 <= h <= n
item t[i: position, j: position, h: position, gaps: intervals, b: flag, s: symbol?]
  where 1 <= i <= j <= n, 1 <= h <= n, gaps in [i + 1..j - 1], length(gaps) <= 1

normal form
  t[i, j, h, gaps, b, s] covers [i..j] minus gaps, with or without h

step Link
  t[x, x, x, <>, false, s]   t[i, j, h, G, b, _]
  ----------------------------------------  attach h to x, x not in [i..j] minus G
  t[i, j, x, G, not b, s]

step Lose
  t[i, j, h, G, true, s]
  ----------------------  i < h
  t[i, j, h, G, true, -]

final t[1, n, _, <>, _, s?]
""",
    SUM: """
hypothesis word[i]  where 1 <= i <= n
item ins[i: position, j: position, s: symbol]  where 1 <= i <= j <= n
item out[i: position, j: position, s: symbol]  where 1 <= i <= j <= n
item both[i: position, j: position, s: symbol, t: symbol]  where 1 <= i <= j <= n

step Word
  word[i]
  -------------
  ins[i, i, "A"]

step Comb
  ins[i, k, s]   ins[k + 1, j, t]
  -----------------------------  attach k to k + 1, s != "B", t == s or t == "A"
  ins[i, j, "B"]

step Comb2
  ins[i, k, s]   ins[k + 1, j, "B"]
  -----------------------------  attach j to i
  ins[i, j, s]

step Root
  ins[1, n, s]
  ------------
  out[1, n, s]

step OutL
  out[i, j, "B"]   given ins[i, k, s]   ins[k + 1, j, _]
  ----------------------------------------------------  licensed k to k + 1
  out[i, k, s]

step OutR
  out[i, j, s]   ins[i, k, s]   given ins[k + 1, j, t]
  ---------------------------------------------------  link i to j
  out[k + 1, j, t]

step Meet
  ins[i, j, s]   out[i, j, t]
  ---------------------------
  both[i, j, s, t]

final both[i, i, _, _]  where 1 < i
""",
    "a position that only the steps bound": """
hypothesis word[i]  where 0 <= i <= n
item d[i: position, j: position, m: position]  where 0 <= i <= j <= n
item e[i: position, j: position]  where 0 <= i <= j <= n

step Mark
  word[i]   word[j]
  -----------------  i < j, attach j to i
  d[i, j, i + 1]

step Drop
  d[i, j, _]
  ----------
  e[i, j]

final e[0, n]
""",
    UNDERIVED: """
hypothesis word[i]  where 1 <= i <= n
item e[i: position, j: position, L: list of position]  where 0 <= i <= n, 0 <= j <= n, length(L) <= 2
item f[i: position, L: list of position]  where 0 <= i <= n, length(L) <= 2

step Edge
  word[i]
  ------------  attach i to j
  e[i, j, <>]

step Chain
  e[i, j, L]
  ------------------  attach j to h, i not in L, h not in L
  e[i, h, <*L, j>]

step Both
  e[_, j, <*A, x, *B>]   e[x, k, B]
  ---------------------------------  licensed k to j, x in [1..n] minus [j..k]
  f[k, <*B, *A>]

step Eq
  f[i, L]
  --------  h == i + length(L), x in L, licensed h to x
  f[h - 1, <>]

final f[_, <>]
final e[n, 0, _]
""",
    "a condition on twice a position": """
hypothesis word[i]  where 1 <= i <= n
item a[i: position, j: position]  where 0 <= i <= n, 0 <= j <= n, i + j <= n
item b[i: position, j: position]  where 0 <= i <= n, 0 <= j <= n, i <= j + j

step Alone
  word[i]
  -------
  a[i, i]

step Both
  word[i]   word[j]
  -----------------
  b[i, n - i]

step Other
  word[i]   word[j]
  -----------------
  b[i, n - j]

final a[_, _]
final b[_, n]
""",
    "cases that find one instance in different strata": """
hypothesis word[i]  where 0 <= i <= n
item tree[i: position, j: position, l: position, e: flag]
  where 0 <= i <= n + 1, 0 <= j <= n + 1, 0 <= l <= n + 1

step Init
  word[i]   word[k]
  -----------------------------------------------
  tree[1, k, k, i - 2 < i and i in [i + 1..k]]

step Twice
case
  tree[k, k + k, l, e]   word[m]
  ------------------------------
  tree[k, 1, m + l - l, e]
case
  tree[k, i, h, b]   word[m]
  --------------------------
  tree[k, 1, k, false]

final tree[_, n, l, _]
""",
    "heads that are no words": """
hypothesis word[i]  where 0 <= i <= n
item span[i: position, j: position]  where 0 <= i <= j <= n
item turned[i: position, j: position]  where 0 <= i <= j <= n

step Start
  word[i]
  ----------  head i - 1
  span[i, i]

step Under
  span[i, j]
  ------------  head j, link head of 1
  turned[i, j]

step Back
  turned[i, j]
  ------------  head i, link head of 1
  span[i, j]

step Join
  span[i, j]   turned[j + 1, k]
  -----------------------------  link head of 2 to head of 1
  span[i, k]

final turned[1, n]
""",
    "a variable below zero that the consequent leaves open": """
hypothesis word[i]  where 1 <= i <= n + 1
item gap[i: position, j: position]  where 1 < i <= j <= n + 1

step Init
  word[z]   word[l]
  ------------------
  gap[z, l]

step Turn
  gap[j + 1, j - i]
  ------------------
  gap[j, j]

final gap[1, _]
""",
    "final items that ask for a symbol": """
hypothesis word[i]  where 1 <= i <= n
item span[i: position, C: symbol]  where 1 <= i <= n

step Init
  word[i]
  -------------
  span[i, "w2"]

step Last
  word[n]
  -------------  n > 2
  span[n, "w1"]

final span[_, "w1"]
final span[i, C]  where i == 2, C != "w3"
""",
}


@cache
def small(which: str) -> ParsingSchema:
    return schema_of(f"schema small\n{SCHEMATA[which]}")


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("which", SCHEMATA)
def test_all_engines_agree(which: str, words: int) -> None:
    for links in grammars(words, which):
        assert not differences(small(which), words, links, ENGINES)[1]


NO_STEP = """
schema small(w = 2)
hypothesis word[i]  where 0 <= i <= n
item edge[i: position, j: position]  where 0 <= i <= j <= n

step Init
  word[j]
  ----------  w == 1
  edge[j, j]

final edge[n, l]
"""


def test_engines_agree_where_no_step_can_be_taken() -> None:
    schema = schema_of(NO_STEP)
    assert not schema.definition.cases
    for words in (1, 2):
        assert not differences(schema, words, all_links(words), ENGINES)[1]


@pytest.mark.parametrize(
    "which",
    [
        "partners of which nothing else is asked",
        "flags computed in lists and tuples",
        COVERS,
        SUM,
        "a position that only the steps bound",
        UNDERIVED,
        "a condition on twice a position",
        "a range that conditions imply together",
    ],
)
def test_native_kernels_run_them(which: str) -> None:
    schema = small(which)
    assert is_lowerable(schema, ["agenda"])
    assert has_order(schema, ["ordered"]) == (which not in AGENDA)


def test_a_schema_that_becomes_thousands_of_rules_stays_in_python() -> None:
    fields = "".join(f", {name}: list of (position, flag)" for name in "ABCDE")
    schema = schema_of(
        "schema wide\nhypothesis word[i]  where 1 <= i <= n\n"
        f"item row[i: position{fields}]  where 1 <= i <= n, {', '.join(f'length({x}) <= 1' for x in 'ABCDE')}\n"
        "step Start\n word[i]\n ------\n row[i, <>, <>, <>, <>, <>]\n"
        "step Join\n row[i, A, B, C, D, E]   row[j, *_]\n ------\n row[j, B, C, D, E, A]\n".replace(
            "row[j, *_]", "row[j, _, _, _, _, _]"
        )
        + "final row[n, <>, <>, <>, <>, <>]\n"
    )
    assert not is_lowerable(schema, ["agenda"])


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("words", [2, 3])
@pytest.mark.parametrize("which", SCHEMATA)
def test_items_expand_to_the_instances_that_derive_them(
    which: str, words: int, spread: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if spread:
        monkeypatch.setattr("schemata.ordered.store._SPREAD", 0)
    schema = small(which)
    for engine in ("ordered", "checked-ordered"):
        try:
            chart = run(schema, words, all_links(words), engine)
        except (Refused, TooLarge):
            pytest.skip("no kernel in a proved order")
        derived = range(chart.raw.hypothesis_count, chart.raw.item_count)
        expanded = {x: chart.raw.expand(x) for x in derived}
        there: dict[int, list[tuple[int, tuple[int, ...]]]] = {x: [] for x in derived}
        for i in chart.instances():
            ends = tuple(end for link in i.links for end in link)
            there.setdefault(i.consequent, []).append((i.case, (i.consequent, *i.antecedents, *ends)))
        for x, rows in expanded.items():
            assert rows is not None
            assert sorted((case, tuple(row)) for case, row in rows) == sorted(there[x])


@pytest.mark.parametrize("which", SCHEMATA)
def test_back_pointers_are_the_same_however_they_are_kept(which: str) -> None:
    schema = small(which)
    if not is_lowerable(schema, ["agenda"]):
        pytest.skip("no native form")
    for words in (1, 2, 3, 4):
        sentence = ["w"] * words
        try:
            charts = [
                schema.run(sentence, engine="native", back_pointers=kept)
                for kept in ("implicit", "compact", "explicit")
            ]
        except UsageError:
            pytest.skip("values that do not fit native tables")
        told = [{str(instance) for instance in named(chart)} for chart in charts]
        assert told[0] == told[1] == told[2] == {str(x) for x in named(schema.run(sentence, engine="python"))}


def named(chart: Chart) -> list[tuple[object, ...]]:
    return [
        (i.case, tuple(str(chart.item(x)) for x in i.antecedents), str(chart.item(i.consequent)), i.links)
        for i in chart.instances()
    ]
