"""Terms of types that schemata declare, and yield functions: against brute force, on every engine."""

import itertools
import random
from pathlib import Path

import pytest

import schemata
from schemata import Facts, GrammarError
from schemata.budget import EngineName
from schemata.language.files import check_file
from schemata.language.forms import read_item
from schemata.language.library import load_schema
from schemata.language.typeset import format_item
from tests.oracle.facts import random_facts
from tests.support.charts import schema_of, schema_text
from tests.support.commands import Written
from tests.support.engines import differences

ENGINES = ("python", "native")
CCG = load_schema("ccg").source.text
LEXICON = {
    "Kim": ["NP"], "saw": [r"(S\NP)/NP"], "the": ["NP/N"], "cat": ["N"], "that": [r"(N\N)/(S/NP)", r"(N\N)/(S\NP)"],
    "slept": [r"S\NP"], "well": [r"(S\NP)\(S\NP)"],
}  # fmt: skip
RAISED = [("NP", "S")]


def split(category: str) -> tuple[str, str, str] | None:
    """Return the two sides of a category and the slash between, by counting brackets from the right."""
    depth = 0
    for k in range(len(category) - 1, -1, -1):
        depth += (category[k] == ")") - (category[k] == "(")
        if depth == 0 and category[k] in "/\\":
            return bare(category[:k]), category[k], bare(category[k + 1 :])
    return None


def bare(category: str) -> str:
    return category[1:-1] if category.startswith("(") else category


def joined(left: str, slash: str, right: str) -> str:
    return slash.join(f"({x})" if split(x) else x for x in (left, right))


def categories(words: list[str]) -> set[tuple[str, int, int]]:
    """Return the categories of all stretches, by recursion over how they can be cut in two."""

    def of(i: int, j: int) -> set[str]:
        found = set(LEXICON[words[i]]) if j == i + 1 else set()
        for k in range(i + 1, j):
            for one, other in itertools.product(of(i, k), of(k, j)):
                match split(one), split(other):
                    case (a, "/", b), (c, "/", d) if b == c:
                        found.add(joined(a, "/", d))
                match split(one), split(other):
                    case (b, "\\", c), (a, "\\", d) if d == b:
                        found.add(joined(a, "\\", c))
                if (cut := split(one)) and cut[1:] == ("/", other):
                    found.add(cut[0])
                if (cut := split(other)) and cut[1:] == ("\\", one):
                    found.add(cut[0])
        for category, over in RAISED:
            if category in found:
                found.add(joined(over, "/", joined(over, "\\", category)))
                found.add(joined(over, "\\", joined(over, "/", category)))
        return found

    n = len(words)
    return {(x, i, j) for i in range(n) for j in range(i + 1, n + 1) for x in of(i, j)}


def ccg_facts() -> Facts:
    rows = [(word, category) for word, known in LEXICON.items() for category in known]
    return Facts.of({"lexical": rows, "raised": RAISED, "start": [("S",), ("NP",)]})


@pytest.mark.parametrize("engine", ENGINES)
def test_combinatory_categorial_grammar(engine: str) -> None:
    schema, rng = schema_of(CCG), random.Random(3)
    sentences = [["the", "cat", "that", "Kim", "saw"], ["Kim", "saw", "the", "cat", "that", "slept", "well"]]
    sentences += [rng.choices(list(LEXICON), k=k) for k in (2, 3, 4, 5, 5)]
    for words in sentences:
        chart = schema.run(words, ccg_facts(), engine=engine)
        expected = {f"c[{x}, {i}, {j}]" for x, i, j in categories(words)}
        assert {str(item) for item in chart.items} == expected
        assert chart.accepted == bool({f"c[{x}, 0, {len(words)}]" for x in ("S", "NP")} & expected)


def test_terms_are_read_back_and_explained() -> None:
    chart = schema_of(CCG).run("the cat that Kim saw", ccg_facts())
    for item in chart.items:
        form = chart.schema.form("c")
        assert read_item(chart.schema, format_item(form, item.values)) == ("c", item.values)
    assert r"X = N\N, Y = S/NP" in str(chart.explain(r"c[N\N, 2, 5]"))
    assert r"lexical(5 (saw), (S\NP)/(NP\N))" in str(chart.why_not(r"c[S/(NP\N), 3, 5]"))


def test_terms_in_files_of_facts() -> None:
    text = "lexical(Kim, NP)\nlexical(saw, (S\\NP)/NP)\nlexical\tthe\tNP/N\nlexical(cat, N)\nraised(NP, S)\nstart(S)\n"
    schema = schema_of(CCG)
    assert schema.run("Kim saw the cat", Facts.from_text(text)).accepted
    with pytest.raises(GrammarError) as wrong:
        schema.run(
            "Kim", Facts.from_text(text + "lexical(dog, S/)\nstart(f(S))\nstart(<S>)\nstart(S/NP/NP)\n")
        )
    assert [d.message for d in wrong.value.diagnostics] == [
        "category of lexical is not a category here", "category of start is not a category here",
        "category of start is not a category here",
    ]  # fmt: skip
    with pytest.raises(GrammarError, match="is not a symbol here"):
        schema_of(LCFRS).run("a", Facts.from_text("lexical(a, f(A))\n"))


TREES = schema_text("trees")


@pytest.mark.parametrize("engine", ENGINES)
def test_constructors_with_names(engine: str) -> None:
    chart = schema_of(TREES).run("x y", engine=engine)
    found = {str(item) for item in chart.items}
    expected, waiting = set(), [("none()", 0)]
    while waiting:  # the same three rules on texts
        tree, i = state = waiting.pop()
        if state in expected:
            continue
        expected.add(state)
        if i < 2:
            waiting.append((f"node(a, {tree}, leaf(b))", i + 1))
        if tree == "node(a, none(), leaf(b))":
            waiting.append(("node(c, leaf(b), none())", i))
        if tree == "node(c, leaf(b), none())":
            waiting.append(("node(c, none(), leaf(b))", i))
        if tree == "node(c, none(), leaf(b))":
            waiting.append(("node(c, leaf(b), none())", i))
    assert found == {f"t[{tree}, {i}]" for tree, i in expected}


@pytest.mark.parametrize(("old", "new", "message"), [
    ("leaf(symbol)", "leaf(position)", "no part of a tree is a position"),
    ("none()\nitem", "nothing\nitem", "no part of a tree is a nothing"),
    ("| none()", "| none() | none()", "none() is declared twice"),
    ("type tree", "type position", "there is a type position already"),
    ('leaf("b")', 'leaf("b", T)', "leaf has 1 part, not 2"),
    ('node("c", U, T)', 'node("c", U, i)', "i is a position"),
    ("t[none(), 0]", 't["a", 0]', '"a" is a symbol'),
])  # fmt: skip
def test_mistakes(written: Written, old: str, new: str, message: str) -> None:
    path = written("trees.schema", TREES.replace(old, new))
    schema, findings = check_file(path)
    assert schema is None
    assert message in [finding.message for finding in findings]


def test_terms_without_bounds_are_told_and_stop_at_the_budget(written: Written) -> None:
    path = written(
        "trees.schema", TREES.replace("  i < 2", "").replace('leaf("b")), i + 1]', 'leaf("b")), i]')
    )
    schema, findings = check_file(path)
    assert schema is not None
    assert "nothing bounds T of t: step Left may build ever larger terms" in [f.message for f in findings]
    for engine in ENGINES:
        with pytest.raises(schemata.BudgetExceeded):
            schemata.load(path).run("x", budget=schemata.Budget(steps=500, memory=1 << 30), engine=engine)


LCFRS = load_schema("lcfrs").source.text
RULES = {
    "lexical": [("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")],
    "unary": [("E", "AC", "0,0"), ("U", "E", "00")],
    "binary": [
        ("AC", "A", "C", "0,1"), ("BD", "B", "D", "0,1"), ("S", "AC", "BD", "0101"), ("X", "AC", "BD", "01,01"),
        ("Y", "X", "AC", "10,10"), ("S", "Y", "B", "010"), ("S", "AC", "AC", "0,1"), ("S", "U", "D", "01"),
    ],
    "start": [("S",), ("U",)],
}  # fmt: skip


def tuples(longest: int) -> dict[str, set[tuple[str, ...]]]:
    """Return the tuples of strings of each category, up to a length, by applying all rules until nothing is new."""
    found: dict[str, set[tuple[str, ...]]] = {}
    rules = [(a, (b,), f) for a, b, f in RULES["unary"]] + [(a, (b, c), f) for a, b, c, f in RULES["binary"]]
    for word, category in RULES["lexical"]:
        found.setdefault(category, set()).add((word,))
    size = -1
    while size != sum(map(len, found.values())):
        size = sum(map(len, found.values()))
        for parent, children, function in rules:
            for chosen in itertools.product(*(sorted(found.get(child, ())) for child in children)):
                if [function.count(str(k)) for k in range(len(chosen))] != [len(x) for x in chosen]:
                    continue
                parts = [iter(x) for x in chosen]
                made = tuple("".join(next(parts[int(k)]) for k in part) for part in function.split(","))
                if sum(map(len, made)) <= longest:
                    found.setdefault(parent, set()).add(made)
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_linear_context_free_rewriting(engine: str) -> None:
    schema, grammar, language = schema_of(LCFRS), Facts.of(RULES), tuples(7)
    accepted = {x for category in ("S", "U") for x in language.get(category, ()) if len(x) == 1}
    assert ("abcd",) in accepted
    sentences = ["".join(w) for k in (2, 3, 4) for w in itertools.product("abcd", repeat=k)]
    sentences += [x for (x,) in accepted if len(x) > 4] + ["acbdacb", "abcdabc"]
    rng = random.Random(1)
    for text in [*rng.sample(sentences, 40), *(x for (x,) in accepted)]:
        chart = schema.run(list(text), grammar, engine=engine)
        assert chart.accepted == ((text,) in accepted), text
        for item in chart.items:
            category, spans = item.values
            assert tuple(text[i:j] for i, j in spans) in language[category]


TAG = load_schema("tag-cky").source.text
NESTED = (Path(__file__).parents[2] / "examples" / "tag-cky.facts").read_text(encoding="utf-8")
COPY = """
start(alpha)
only_child(alpha, alpha.e)
empty(alpha.e)
""" + "".join(
    f"adjoins(alpha, {x})\nchildren({x}, {x}.w, {x}.T)\nanchor({x}.w, {x})\nchildren({x}.T, {x}.foot, {x}.v)\n"
    f"foot({x}.foot)\nanchor({x}.v, {x})\nadjoins({x}.T, a)\nadjoins({x}.T, b)\n"
    for x in "ab"
)
NOUNS = """
start(S)
children(S, S.NP, S.V)
anchor(S.V, c)
substitutes(S.NP, N)
only_child(N, N.n)
anchor(N.n, a)
adjoins(N, M)
children(M, M.adj, M.foot)
anchor(M.adj, b)
foot(M.foot)
obligatory(S.V.none)
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("grammar", "language", "alphabet"),
    [
        (NESTED, {"a" * k + "b" * k + "c" * k + "d" * k for k in range(4)}, "abcd"),
        (COPY, {"".join(w) * 2 for k in range(4) for w in itertools.product("ab", repeat=k)}, "ab"),
        (NOUNS, {"b" * k + "ac" for k in range(2)}, "abc"),
    ],
)
def test_tree_adjoining_grammars(engine: str, grammar: str, language: set[str], alphabet: str) -> None:
    """Accepted are exactly the sentences of languages that are known: counting, copying, one adjunction at a node."""
    schema, facts = schema_of(TAG), Facts.from_text(grammar)
    words = {fact.arguments[1] for fact in facts.facts if fact.relation == "anchor"}
    texts = ["".join(w) for k in (1, 2, 3, 4) for w in itertools.product(alphabet, repeat=k)]
    longer = [x for x in language if len(x) > 4]
    texts = random.Random(2).sample(texts, min(60, len(texts))) + sorted(language) + [x[::-1] for x in longer]
    for text in texts:
        if text and set(text) <= words:
            assert schema.run(list(text), facts, engine=engine).accepted == (text in language), text


ONE_ARGUMENT = r"""schema one-argument
  grammar facts
  structure set

type category = symbol | category / category | category \ category

relation lexical(w: word, X: category)
relation typ(X: category)
relation start(X: category)
relation size(k: number)
relation body(B: list of symbol)

item c[X: category, i: position, j: position]  where 0 <= i < j <= n
item long[L: list of position]  where length(L) <= 2

define wide(d) = d > 0

step Word
  ---------------  lexical(j, X)
  c[X, j - 1, j]

step Known
  c[X, i, j]
  -----------  {known}
  c[T/X, i, j]

step Forward
  c[X/Y, i, j]   c[Y, j, k]
  -------------------------  {forward}
  c[X, i, k]

step Begin
  -----------  {begin}
  long[<>]

step Longer
  long[L]   c["A", i, j]
  ----------------------  {longer}
  long[<*L, i>]

final c[X, 0, n]  where {final}
"""
CONDITIONS = {
    "known": ["typ(T/X)", "typ((T/X))", r"typ((T\X)/T)", "typ(T/X), typ(T/_)", "typ(T/X), not typ(X/T)"],
    "forward": ["not typ(X/Y)", "typ(_/Y)", "typ(X/_), size(j - i)", "wide(k - i)", r"not typ(Y\X)"],
    "begin": ['body(<B, "A">), typ(B/B)', 'body(<"A">)', "not body(<>)", "body(<_, *B>)"],
    "longer": ["size(length(L))", "not size(length(L))", "size(n)", "size(1 + i)", "wide(length(L))"],
    "final": ["start(X)", "typ(X/X)", "not typ(X/X)", 'typ(("A"/X))', "start(X), not typ(X/X)"],
}


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.rotated(3)
def test_relations_of_one_argument_take_patterns_anywhere(seed: int) -> None:
    rng = random.Random(seed)
    text = ONE_ARGUMENT
    for place, choices in CONDITIONS.items():
        text = text.replace(f"{{{place}}}", rng.choice(choices))
    schema = schema_of(text)
    found = 0
    for n in (1, 2, 3):
        given = random_facts(rng, n, schema.definition.relations)
        truth, differing = differences(schema, n, given, ["python", "agenda", "ordered"])
        assert not differing, text
        found += len(truth.items)
    assert found


RUNS = """schema runs
hypothesis word[i]  where 0 <= i <= n
item gap[i: position, j: position, C: symbol, L: list of position]
step One
  word[i]
  ----------
  gap[i, i + 1, "it's", <*[2..n]>]
step Two
  gap[q, len, D, <q - len, *(len)>]   gap[q, q + q, D, <*A, k, j>]
  ----------
  gap[q, j, D, A]
final gap[_, 1 - i, _, <*M, m, *L, j, *B>]
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_of_no_elements_binds_nothing(engine: EngineName) -> None:
    """With two words the list has one element, and its run is empty: q - len has two unknowns."""
    chart = schema_of(RUNS).run("a b", engine=engine)
    assert sorted(map(str, chart.items)) == [f'gap[{i}, {i + 1}, "it\'s", <2>]' for i in range(3)]


CHOICE = """schema choice
hypothesis word[i]  where 0 <= i <= n
item gap[i: position, j: position, l: position?]  where 0 <= i <= n, 0 <= j <= n
item tree[i: position, j: position, k: position, t: (position, symbol)]
step Init
  word[j]
  ----------
  gap[j, j, 1]
step Step 2
  given tree[1 - i, item, r, u]   given tree[r + 1, item, l, (item, F)]
  ----------  p in [l..r] minus [n..i]
  tree[i, i, item, u]
step Step 3
  gap[z, q, i?]
  ----------  l in [q..q]
  tree[z, q, z + 1, (l, "w2")]
final gap[_, _, _]
"""


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_variable_whose_bounds_stand_in_each_choice_of_a_condition(n: int) -> None:
    """Both parts of the region begin at l and end at r; backwards, too, p has bounds."""
    links = [(d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h]
    assert differences(schema_of(CHOICE), n, links, ["python", "agenda", "ordered"])[1] == []
