"""No schema leaves out a rule or fact in silence: the sum is that of the rules that no warning names."""

import json
import random
import warnings
from collections import defaultdict
from itertools import product

import pytest

import schemata
from schemata.errors import GrammarError, UnreadWarning, UsageError
from schemata.grammars import ContextFreeGrammar, DependencyRules, Facts
from schemata.language.shipped import shipped_schemata
from schemata.program.unread import READERS
from schemata.thresholds import changed

# Most of these tests ask for the findings; those on the warnings of Python catch them.

OF_RULES = {
    kind: [x for x in shipped_schemata() if schemata.load(x).definition.grammar == kind]
    for kind in ("context-free", "dependency-rules")
}
ROUNDS = 400  # each gains a factor below 1/2 where no cycle weighs more


def inside(rules, words, root):
    """Return the sum of the weights of all derivations of words 1..n, by going round the equations of all spans.

    `rules` are (left-hand side, body, weight); `words` the weights of categories by (word, category). A body may hold
    ^, a word of the left-hand side's category; where some does, words are of a category through ^ alone.
    """
    n = max(word for word, _ in words)
    heads = any("^" in body for _, body, _ in rules)
    spans = [(i, j) for i in range(n + 1) for j in range(i, n + 1)]
    value = defaultdict(float)

    def of_body(lhs, body, i, j):
        if not body:
            return float(i == j)
        first, rest = body[0], body[1:]
        if first == "^":
            return words.get((i + 1, lhs), 0.0) * of_body(lhs, rest, i + 1, j) if i < j else 0.0
        return sum(
            value[first, i, k] * of_body(lhs, rest, k, j) for k in range(i, j + 1) if value[first, i, k]
        )

    for _ in range(ROUNDS):
        new = defaultdict(float)
        for (word, category), weight in words.items():
            if not heads:
                new[category, word - 1, word] += weight
        for (lhs, body, weight), (i, j) in product(rules, spans):
            new[lhs, i, j] += weight * of_body(lhs, body, i, j)
        done = all(abs(new[x] - value[x]) < 1e-13 for x in {*new, *value})
        value = new
        if done:
            return value[root, 0, n]
    raise AssertionError("the equations do not settle")


def random_rules(rng):
    """Return rules of 0 to 3 symbols and lexical entries, so light that every sum converges."""
    symbols = ["S", "A", "B", "C"][: rng.randint(2, 4)]
    sizes = rng.choices(range(4), [1, 2, 3, 1], k=rng.randint(2, 6))
    rules = {(rng.choice(symbols), tuple(rng.choices(symbols, k=size))) for size in sizes}
    entries = {(rng.choice("ab"), rng.choice(symbols)) for _ in range(rng.randint(1, 4))}
    weight = lambda: rng.choice([0.05, 0.1, 0.2])  # noqa: E731
    weighed = [(lhs, body, weight()) for lhs, body in sorted(rules)]
    missing = {*symbols} - {lhs for lhs, _ in rules} - {category for _, category in entries}
    return weighed, {entry: weight() for entry in sorted(entries | {("a", x) for x in missing})}


def text_of(rules, entries):
    lines = [f"{lhs} -> {' '.join(body) or 'ε'} [{weight}]" for lhs, body, weight in rules]
    return "\n".join(
        ["start S", *lines, *(f'{c} -> "{word}" [{weight}]' for (word, c), weight in entries.items())]
    )


def without(rules, warned):
    """Return the rules that warnings do not name, and those that go by words where they name constituents alone."""
    named = " ".join(f"{one.message}|" for one in warned)
    kept = []
    for lhs, body, weight in rules:
        shown = f"leaves out the rule {lhs} -> {' '.join(body) or 'ε'}"
        if f"{shown}:" in named:
            continue
        if f"{shown} where {' '.join(body)} is a constituent:" in named:
            kept.append((lhs, tuple(f"word {x}" for x in body), weight))
        else:
            kept.append((lhs, body, weight))
    return kept


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.rotated(4)
def test_sums_are_those_of_the_rules_that_no_warning_names(seed):
    rng = random.Random(seed)
    rules, entries = random_rules(rng)
    sentence = rng.choices("ab", k=rng.randint(1, 3))
    if missing := {*sentence} - {word for word, _ in entries}:
        sentence = ["a" if x in missing else x for x in sentence]
        entries.setdefault(("a", "S"), 0.1)
    text = text_of(rules, entries)
    categories = {
        (i, c): weight
        for i, x in enumerate(sentence, start=1)
        for (word, c), weight in entries.items()
        if x == word
    }
    alone = {(i, f"word {c}"): weight for (i, c), weight in categories.items()}
    for name in OF_RULES["context-free"]:
        chart = schemata.load(name).run(sentence, text)
        named = chart.grammar.warnings
        kept = without(rules, named)
        assert len(rules) - len(kept) + sum("where" in x.message for x in named) == len(named)
        expected = inside(kept, {**categories, **alone}, "S")
        assert chart.accepted == (expected > 0)
        if name == "ghr":  # a recogniser refuses sums
            assert not named
            with pytest.raises(UsageError, match="only context"):
                chart.total("real")
            continue
        total = chart.total("real")
        assert total == pytest.approx(expected, rel=1e-7, abs=1e-12), (name, text, sentence)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.rotated(4)
def test_sums_of_dependency_rules(seed):
    rng = random.Random(seed)
    symbols = ["S", "A", "B"]
    bodies = {
        (
            rng.choice(symbols),
            (*rng.choices(symbols, k=rng.randint(0, 2)), "^", *rng.choices(symbols, k=rng.randint(0, 2))),
        )
        for _ in range(rng.randint(2, 6))
    } | {(x, ("^",)) for x in symbols}
    rules = [(lhs, body, rng.choice([0.1, 0.5, 0.9])) for lhs, body in sorted(bodies)]
    sentence = rng.choices("ab", k=rng.randint(1, 3))
    entries = {
        (word, c): rng.choice([0.5, 1.0])
        for word in "ab"
        for c in symbols
        if word == "a" or rng.random() < 0.7
    }
    entries["b", "S"] = 1.0
    lines = [f"{lhs}({' '.join(body).replace('^', '*')}) [{weight}]" for lhs, body, weight in rules]
    text = "\n".join(
        ["root S", *lines, *(f"{word} : {c} [{weight}]" for (word, c), weight in entries.items())]
    )
    categories = {
        (i, c): weight
        for i, x in enumerate(sentence, start=1)
        for (word, c), weight in entries.items()
        if x == word
    }
    names = set()
    for name in OF_RULES["dependency-rules"]:
        chart = schemata.load(name).run(sentence, text)
        named = [x.message for x in chart.grammar.warnings]
        left_out = [
            rule
            for rule in rules
            if any(f"the rule {rule[0]}({' '.join(rule[1]).replace('^', '*')}):" in x for x in named)
        ]
        assert len(left_out) == len(named)
        expected = inside([rule for rule in rules if rule not in left_out], categories, "S")
        assert chart.accepted == (expected > 0)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            total = chart.total("real")
        if said:
            assert "derivations" in str(said[0].message)
            continue
        names.add(name)
        assert bool(left_out) <= (name == "kahane1998-published")
        assert total == pytest.approx(expected, rel=1e-7, abs=1e-12), (name, text, sentence)
    assert len(names) > 4


def test_readers_read_every_rule():
    """What the hint promises: a rule of each shape, whose symbols are categories, constituents or both."""
    assert not schemata.load(READERS["d-rules"]).check_grammar('root "a"\nhead "a" takes "b"').warnings
    for kind, name in READERS.items():
        for size in range(5 if kind != "d-rules" else 0):
            for body in product("AB", repeat=size):
                if kind == "context-free":
                    grammar = ContextFreeGrammar.of([("S", body), ("A", ("A",))], "S", {"a": ["A", "B"]})
                    assert not schemata.load(name).check_grammar(grammar).warnings
                    continue
                for place in range(size + 1):
                    rule = f"S({' '.join([*body[:place], '*', *body[place:]])})"
                    grammar = DependencyRules.of({rule, "A(*)"}, {"S"}, {"a": {"A", "B", "S"}})
                    assert not schemata.load(name).check_grammar(grammar).warnings


def messages(name, grammar):
    found = schemata.load(name).check_grammar(grammar)
    return [one.message.removesuffix(": none of its steps can read it") for one in found.warnings]


RULES = 'S -> A A A\nS -> A\nS -> S A\nA -> ε\nA -> "a"\n'


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("earley", []),
        ("bottom-up-earley", []),
        ("ghr", []),
        ("left-corner", ["A -> ε"]),
        ("bottom-up-left-corner", ["A -> ε"]),
        ("shift-reduce", ["A -> ε"]),
        ("top-down", ["A -> ε"]),
        ("cyk", ["A -> ε", "S -> A where A is a constituent", "S -> A A A"]),
    ],
)
def test_rules_are_named(name, expected):
    assert messages(name, RULES) == [f"{name} leaves out the rule {x}" for x in expected]
    if expected:
        with pytest.raises(GrammarError, match="leaves out") as caught:
            schemata.load(name).run("a", RULES, strict=True)
        assert [one.severity for one in caught.value.diagnostics] == ["error"] * len(expected)
    else:
        assert schemata.load(name).run("a", RULES, strict=True).accepted


def test_a_category_of_words_alone_is_no_constituent():
    assert messages("cyk", 'S -> A\nA -> "a"\n') == []
    assert messages("cyk", 'S -> A\nA -> "a"\nA -> A A\n') == [
        "cyk leaves out the rule S -> A where A is a constituent"
    ]


SCHEMA = """schema small
  grammar facts
relation made(parent: symbol, body: list of symbol)
relation lexical(form: word, category: symbol)
relation edge(from: number, to: number)
item x[A: symbol, i: position]
step Lex
  -------  lexical(i, V), i in [1..n]
  x[V, i]
step Pair
  x[A, i]   x[A, i + 1]
  ---------------------  made(B, <A, A>), B != A
  x[B, i]
step Named
  x[A, i]
  -------  made("top", <A>), not edge(i, 1)
  x[A, i]
final x[_, 1]
"""


def test_literals_equal_symbols_and_conditions_count():
    rows = [
        ("B", ("A", "A")),
        ("B", ("A", "C")),
        ("A", ("A", "A")),
        ("top", ("A",)),
        ("S", ("A",)),
        ("B", ()),
    ]
    facts = Facts.of({"made": rows, "lexical": [("a", "A")], "edge": [(1, 1), (1, 2)]})
    found = schemata.schema(SCHEMA).check_grammar(facts).warnings
    assert [one.message.split(":")[0] for one in found] == [
        "small leaves out the fact " + x
        for x in ("made(B, <A C>)", "made(A, <A A>)", "made(S, <A>)", "made(B, <>)", "edge(1, 2)")
    ]


def test_a_relation_that_no_step_asks_for():
    text = SCHEMA.replace(", not edge(i, 1)", "")
    facts = Facts.of({"made": [("top", ("A",))], "edge": [(1, 1)]})
    assert [x.message for x in schemata.schema(text).check_grammar(facts).warnings] == [
        "small leaves out the fact edge(1, 1): none of its steps can read it"
    ]


def test_warnings_are_those_of_the_schema_that_runs():
    grammar = schemata.load("cyk").check_grammar(RULES)
    assert len(grammar.warnings) == 3
    assert not schemata.load("earley").check_grammar(grammar).warnings
    assert len(schemata.load("cyk").check_grammar(grammar).warnings) == 3
    assert len(schemata.load("cyk").run("a", grammar).grammar.warnings) == 3


@pytest.mark.parametrize("kept", [1, 8])
def test_answers_are_kept_for_some_grammars(kept):
    others = [f'S -> A{k} A{k} A{k}\nA{k} -> "a"' for k in range(12)]
    with changed(kept_unread=kept):
        for _ in range(2):
            for k, text in enumerate(others):
                assert messages("cyk", text) == [f"cyk leaves out the rule S -> A{k} A{k} A{k}"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rules.cfg"
    path.write_text('S -> S S [.2]\nS -> "a" [.5]\nS -> ε [.3]\n', encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "command",
    [
        ["run", "cyk", "a", "--total", "real"],
        ["run", "cyk", "a", "--best", "2"],
        ["run", "cyk", "a", "--json"],
        ["compare", "cyk", "earley", "a"],
        ["compare", "earley", "cyk", "a", "--json"],
        ["next", "cyk", "a"],
        ["explain", "cyk", "a", "edge[S, 1, 1]"],
        ["why-not", "cyk", "a"],
        ["profile", "cyk", "a"],
    ],
)
def test_commands_warn_once(file, command, cli):
    _, out, err = cli(*command, "--grammar", file)
    assert "error" not in err
    assert err.count("cyk leaves out the rule S -> ε") == 1
    assert "earley reads every rule" in err
    if command[-1] == "--json":
        assert "cyk leaves out the rule S -> ε" in json.dumps(json.loads(out), ensure_ascii=False)


def test_the_sum_with_empty_rules(file, cli):
    assert cli("run", "cyk", "a", "--grammar", file, "--total", "real", "--strict")[0] == 2
    for name, expected in (("earley", "0.573539"), ("cyk", "0.5")):
        _, out, err = cli("run", name, "a", "--grammar", file, "--total", "real")
        assert expected in out
        assert ("leaves out" in err) == (name == "cyk")


def test_root_lines_where_no_word_is_attached_to_node_0(tmp_path, cli):
    grammar = 'root "b"\nhead "a" takes "b"\nhead "b" takes "a"'
    file = tmp_path / "two.drules"
    file.write_text(grammar)
    for name, roots in (("eisner1996", {2}), ("collins1996", {1, 2}), ("wg1", {1, 2})):
        chart = schemata.load(name).run("a b", grammar)
        found = {tree.heads.index(0) + 1 for tree in chart.forest().trees()}
        assert found == roots, name  # of the two words, those that head a tree
        message = f"{name} leaves out the root lines of the grammar: it attaches no word to node 0"
        expected = [message] if roots == {1, 2} else []
        assert [one.message for one in chart.grammar.warnings] == expected
        answer = cli("run", name, "a b", "--grammar", str(file), "--json")
        assert [one["message"] for one in json.loads(answer.out).get("warnings", ())] == expected
        if expected:
            with pytest.raises(GrammarError, match="root lines"):
                schemata.load(name).run("a b", grammar, strict=True)
            assert not schemata.load(name).run("a b", grammar.partition("\n")[2]).grammar.warnings
    answer = cli("compare", "eisner1996", "collins1996", "a b", "--grammar", str(file))
    assert answer.err.count("leaves out the root lines") == 1


def test_unread_facts_are_written_as_files_have_them():
    lines = ('home("the, end")', "road(tag X, b)", "road(_, b)")
    schema = schemata.schema(
        "schema u\nrelation home(a: symbol)\nrelation road(a: word, b: symbol)\nitem c[A: symbol]\n"
        'step S\n  ---- home("x")\n  c["x"]\nfinal c["x"]\n'
    )
    found = [one.message for one in schema.check_grammar("\n".join(lines)).warnings]
    assert found == [f"u leaves out the fact {line}: none of its steps can read it" for line in lines]


LOSES = 'S -> A A A\nS -> ε\nS -> A A\nA -> "a"\n'


def test_python_warns_once_for_each_schema_and_grammar():
    cyk = schemata.load("cyk")
    with pytest.warns(UnreadWarning) as caught:
        cyk.run("a a", LOSES)
    assert [str(one.message) for one in caught] == [
        "; ".join(
            f"cyk leaves out the rule {x}: none of its steps can read it" for x in ("S -> ε", "S -> A A A")
        )
    ]
    assert caught[0].filename == __file__
    checked = cyk.check_grammar(LOSES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for grammar in (LOSES, schemata.grammar(LOSES, "context-free"), checked):
            assert cyk.run("a a", grammar).accepted
        assert schemata.load("cyk").run("a a", checked).accepted
        assert schemata.load("earley").run("a a", LOSES).accepted
    with pytest.warns(UnreadWarning, match="the rule S -> A A A A:"):
        cyk.run("a", LOSES + "S -> A A A A\n")
    with pytest.warns(UnreadWarning, match="the rule S -> ε"):
        schemata.load("cyk").run("a", LOSES)


@pytest.mark.parametrize(("number", "more"), [(3, ""), (4, "; and 1 more: chart.grammar.warnings has all")])
def test_a_warning_names_three_facts(number, more):
    rules = "".join(f"S -> {' A' * (3 + k)}\n" for k in range(number)) + 'A -> "a"\nS -> "a"\n'
    with pytest.warns(UnreadWarning) as caught:
        chart = schemata.load("cyk").run("a", rules)
    assert len(chart.grammar.warnings) == number
    said = str(caught[0].message)
    assert said.count("leaves out") == 3
    assert said.endswith(f"none of its steps can read it{more}")


def test_schemata_of_several_inputs_warn_once():
    schema = schemata.schema(
        "schema pairs\n  grammar facts\ninput left, right\nrelation same(a: symbol)\nitem c[i: position]\n"
        "step S\n  ----\n  c[1]\nfinal c[1]\n"
    )
    facts = Facts.of({"same": [("x",)]})
    with pytest.warns(UnreadWarning, match="pairs leaves out the fact same"):
        schema.run("a ||| b", facts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema.run("a a ||| b", facts)
