"""Schemata, grammars and runs as tests of several rooms want them, and what is in a chart, as text."""

import math
import random
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import schemata
from schemata import Chart, DRules, ParsingSchema, Sentence
from schemata.budget import EngineName
from schemata.grammars.rules import Rule, RuleSentenceGrammar, RuleTable
from schemata.language.files import read_schema_text
from schemata.language.shipped import shipped_schemata
from tests.oracle import naive
from tests.oracle import rules as rules_of_oracle
from tests.oracle.rules import RuleGrammar

SCHEMATA = Path(__file__).parents[1] / "schemata"
PROJECTIVE = (  # schemata that parse projective trees, of which an order is proved
    "collins1996", "eisner1996", "eisner1996:end=1", "eisner-satta1999", "generalised-eisner-satta",
    "yamada-matsumoto2003", "mh:k=3", "mh:k=4", "arc-standard", "arc-standard-hook", "arc-eager",
    "arc-eager-published", "hybrid",
)  # fmt: skip
D_RULES = (  # all shipped schemata over D-rules, with some values of their parameters
    *PROJECTIVE, "cky-arity", "arc-eager-first", "arc-eager-axioms", "arc-standard-words",
    "nivre2003", "nivre2003-stacks", "covington-lsup", "attardi2006:d=1", "attardi2006:d=2", "attardi-unbounded",
    "covington2001", "mst",
    "wg1", "wg1-once", "wg1-unlexicalised", "mg1", "wgk:k=1", "wgk:k=2", "wgk-published:k=2", "mgk:k=1", "mgk:k=2",
)  # fmt: skip


@dataclass(frozen=True)
class Given:
    """A grammar for one sentence, which is known already; of the kind that the schema is over."""

    kind: str
    provided: Any

    @classmethod
    def rules(cls, kind: str, grammar: RuleGrammar) -> "Given":
        """Return a grammar of rules."""
        table = RuleTable(tuple(sorted(Rule(r.category, r.body) for r in grammar.rules)))
        categories = dict(enumerate(grammar.lexicon, start=1))
        weights = {
            name: {row: math.log(weight) for row, weight in rows.items()}
            for name, rows in grammar.weights.items()
        }
        return cls(
            kind, RuleSentenceGrammar(len(grammar.lexicon), table, grammar.starts, categories, weights)
        )

    def for_sentence(self, sentence: Sentence) -> Any:
        """Return what is given."""
        return self.provided


def naive_rules(grammar: RuleSentenceGrammar) -> RuleGrammar:
    """Return what a grammar of rules provides for a sentence as the oracle has it."""
    rules = frozenset(rules_of_oracle.Rule(rule.lhs, rule.body) for rule in grammar.rules)
    categories = tuple(grammar.categories_of(i) for i in range(1, grammar.n + 1))
    return RuleGrammar(rules, grammar.roots, categories)


def schema_text(name: str) -> str:
    """Return the text of a schema that only tests use."""
    return (SCHEMATA / f"{name}.schema").read_text(encoding="utf-8")


COUNTER = schema_text("counter")  # which counts for ever


shipped = cache(schemata.load)


@cache
def names_over(kind: str) -> tuple[str, ...]:
    """Return the shipped schemata over a kind of grammar, without those that build graphs, which need no link."""
    found = ((name, shipped(name).definition) for name in sorted(shipped_schemata()))
    return tuple(name for name, s in found if s.grammar == kind and s.structure != "dependency graph")


def schema_of(text: str) -> ParsingSchema:
    """Return the schema of a text, which must have no errors."""
    definition, problems = read_schema_text(text)
    assert definition is not None, problems
    return ParsingSchema(definition)


def words(n: int) -> Sentence:
    """Return a sentence of n words."""
    return Sentence(("w",) * n)


def some_links(n: int, seed: int, density: float = 0.6) -> DRules:
    """Return random links between n words."""
    return DRules.from_pairs(naive.random_grammar(random.Random(f"{n} {seed}"), n, density))


def run(
    schema: str | ParsingSchema, n: int, links: naive.Grammar | None = None, engine: EngineName = "python"
) -> Chart:
    """Run a schema over D-rules on n words; without links, all are licensed."""
    chosen = shipped(schema) if isinstance(schema, str) else schema
    return chosen.run(words(n), DRules.all() if links is None else DRules.from_pairs(links), engine=engine)


def facts(chart: Chart, forest: bool = True) -> dict[str, Any]:
    """Return what a chart holds, and its forest, to be compared with others."""
    found: dict[str, Any] = {
        "hypotheses": {str(x) for x in chart.hypotheses},
        "items": {str(x) for x in chart.items},
        "final items": {str(x) for x in chart.final_items},
        "instances": Counter(instances(chart)),
        "steps by name": {k: v for k, v in chart.steps_by_name.items() if v},
        "items by form": {k: v for k, v in chart.items_by_form.items() if v},
    }
    if forest:
        count = chart.forest().derivation_count
        found["derivations"] = "infinite" if count == math.inf else count
        found["useful items"] = {str(x) for x in chart.forest().useful_items}
    return found


def oracle_facts(truth: naive.NaiveChart, forest: bool = True) -> dict[str, Any]:
    """Return the same of the oracle's chart."""
    text = naive.canonical
    found: dict[str, Any] = {
        "hypotheses": set(map(text, truth.hypotheses)),
        "items": set(map(text, truth.items)),
        "final items": set(map(text, truth.final_items)),
        "instances": Counter(
            (i.name, tuple(map(text, i.antecedents)), text(i.consequent), tuple(i.links))
            for i in truth.instances
        ),
        "steps by name": naive.steps_by_name(truth),
        "items by form": naive.items_by_form(truth),
    }
    if forest:
        found["derivations"] = naive.derivations(truth)
        found["useful items"] = set(map(text, naive.useful(truth)))
    return found


def instances(chart: Chart) -> list[tuple[str, tuple[str, ...], str, tuple[tuple[int, int], ...]]]:
    """Return the step instances: step, antecedents, consequent, links."""
    texts = [str(chart.item(x)) for x in range(chart.raw.item_count)]
    return [
        (
            chart.schema.cases[i.case].step,
            tuple(texts[x] for x in i.antecedents),
            texts[i.consequent],
            i.links,
        )
        for i in chart.instances()
    ]
