"""Instances that ordered kernels may find again: only where items have several writings, by all ways of a rule."""

from pathlib import Path

import numpy as np
import pytest

import schemata
from schemata import ArcScores, DRules
from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.native import NativeEngine
from schemata.kernels.store import OutsideTables
from schemata.order.kept import prove_order
from schemata.program.evaluation import evaluate
from schemata.program.instances import CONSEQUENT, chart_writings, instance_bindings, repeating_rules
from schemata.program.model import encoded
from schemata.structures import Sentence
from schemata.thresholds import changed
from tests.support.charts import facts, some_links
from tests.support.compilers import COMPILERS

KINDS = str(Path(__file__).parents[1] / "schemata" / "several-kinds.schema")


def ordered(name: str, n: int, grammar: DRules) -> Chart | None:
    schema = schemata.load(name)
    prove_order(schema.kernel.program)
    words = Sentence(("w",) * n)
    native = NativeEngine(schema.kernel, COMPILERS[False], "ordered")
    return native.run(schema.kernel, words, grammar.for_sentence(words), Budget())


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.rotated(2)
def test_writings_of_several_kinds_make_one_instance(n: int) -> None:
    for grammar in (DRules.all(), some_links(n, 1)):
        chart = ordered(KINDS, n, grammar)
        assert chart is not None
        assert facts(chart, False) == facts(
            schemata.load(KINDS).run(["w"] * n, grammar, engine="python"), False
        )


@pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
@pytest.mark.parametrize("semiring", ["log", "real", "viterbi"])
def test_weights_of_writings_of_several_kinds(semiring: str) -> None:
    schema, scores = schemata.load(KINDS), np.random.default_rng(4).normal(size=(5, 5))
    scores[0] = 0.0  # the trees of the final item have different roots
    prove_order(schema.kernel.program)
    arcs = ArcScores(scores)
    python, native = (schema.run(["w"] * 4, weights=arcs, engine=engine) for engine in ("python", "native"))
    assert native.total(semiring) == pytest.approx(python.total(semiring))


@pytest.mark.parametrize(("name", "n"), [("wg1", 4), ("wg1", 5), ("mg1", 4), ("wgk:k=1", 4), (KINDS, 4)])
def test_what_is_found_again_is_looked_for(name: str, n: int) -> None:
    """An instance that a rule makes in several ways has several writings in one of the rule's sets of atoms."""
    schema = schemata.load(name)
    program, chart = schema.kernel.program, schema.run(["w"] * n, engine="python")
    sets, forms = repeating_rules(program), [form.name for form in chart.schema.forms]
    again, left_out = 0, 0
    for instance in chart.instances():
        case = chart.schema.cases[instance.case]
        atoms = {**dict(enumerate(instance.antecedents)), CONSEQUENT: instance.consequent}
        several = {k for k, item in atoms.items() if len(chart_writings(chart, item)) > 1}
        bindings = list(instance_bindings(chart, instance))
        for binding in bindings:
            kinds = []
            for pattern in (*(a.pattern for a in case.antecedents), case.consequent):
                values = tuple(evaluate(term, binding) for term in pattern.terms)
                written = encoded(program.kinds, forms.index(pattern.form), values, lambda _, value: value)
                assert written is not None
                kinds.append(written[0])
            rules = [
                rule.number
                for rule in program.rules
                if rule.case == instance.case
                and [*(a.kind for a in rule.antecedents), rule.consequent.kind] == kinds
            ]
            assert rules
            for rule in rules:
                looks = any(one <= several for one in sets.get(rule, ()))
                assert looks or len(bindings) == 1, (case.step, binding)
                left_out += not looks
        again += len(bindings) > 1
    assert again
    assert left_out


@pytest.mark.thorough
def test_tables_of_items_with_several_writings_have_room_for_half_as_many_places() -> None:
    for name, shift in (("wg1", 1), ("eisner1996", 0)):
        chart = ordered(name, 3, DRules.all())
        assert chart is not None
        places = chart.raw.store.places  # type: ignore[attr-defined]
        with changed(ordered_places=(places + 1) << shift):
            assert ordered(name, 3, DRules.all()) is not None
        with changed(ordered_places=places << shift), pytest.raises(OutsideTables):
            ordered(name, 3, DRules.all())
