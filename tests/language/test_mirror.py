"""Mirror images of steps: what they derive is the mirror image of what the steps derive; mistakes are told."""

import random
from collections import Counter
from dataclasses import replace

import pytest

import schemata
from schemata import DRules, ParsingSchema
from schemata.language import model as m
from schemata.language.files import check_file, read_schema_text
from schemata.language.shorthand import Reflection, mirrored
from schemata.language.typeset import pattern_text
from tests.support.charts import schema_text
from tests.support.commands import Written

WORDS = m.Linear(1, ((m.Var("n"), 1),))
REFLECTIONS = {
    "collins1996": {"tree": (1, 0, 2)},
    "eisner-satta1999": {"tree": (1, 0, 2)},
    "wg1": {"tree": (1, 0, 2, 4, 3)},
    "wgk:k=2": {"tree": (1, 0, 2, 3)},
    "mgk:k=1": {"tree": (1, 0, 2, 3)},
    "mh:k=4": {"heads": (0,)},
    "attardi-unbounded": {"heads": (0,)},
    "yamada-matsumoto2003": {"span": (1, 0)},
}


def turned(value: m.Value, kind: m.Type, n: int) -> m.Value:
    match kind.kind, value:
        case "position", int():
            return n + 1 - value
        case "optional", _ if value is not None:
            return turned(value, kind.arguments[0], n)
        case "list", tuple():
            return tuple(turned(x, kind.arguments[0], n) for x in reversed(value))
        case "tuple", tuple():  # an interval
            return tuple(turned(x, k, n) for x, k in zip(value, kind.arguments, strict=True))[::-1]
    return value


@pytest.mark.parametrize("name", REFLECTIONS)
def test_images_of_all_steps_derive_the_images_of_all_items(name: str) -> None:
    schema = schemata.load(name).definition
    forms = {form.name: replace(form, equations=(), where=()) for form in schema.forms}
    images = REFLECTIONS[name].items()
    ways = {form: Reflection(form, sources, (WORDS,) * len(sources)) for form, sources in images}
    # Normal forms need not look the same from both sides.
    plain = replace(
        schema, forms=tuple(replace(f, equations=(), cover=None) for f in schema.forms), finals=()
    )
    fields = {form.name: form.fields for form in schema.forms}

    def image_of_form(form: m.Form) -> m.Form:
        if not form.where or form.name not in ways:
            return form
        case = m.Case("filter", None, (), m.Pattern(form.name, tuple(m.Var(f.name) for f in form.fields)), form.where,
                      (), (), None, {f.name: f.type for f in form.fields}, form.span)  # fmt: skip
        image = mirrored(case, "filter", forms, ways, ())
        names = [t.name for t in image.consequent.terms if isinstance(t, m.Var)]
        given = dict(zip(names, (f.name for f in form.fields), strict=True))
        renamed = m.rewrite(
            image.conditions,
            lambda node: (
                replace(node, name=given.get(node.name, node.name)) if isinstance(node, m.Var) else None
            ),
        )
        return replace(form, where=renamed)

    def image_of_clause(clause: m.Clause) -> m.Clause:
        case = m.Case(
            "given", None, (), clause.pattern, clause.conditions, (), (), None, clause.types, clause.span
        )
        image = mirrored(case, "given", forms, ways, ())
        return replace(clause, pattern=image.consequent, conditions=image.conditions)

    def image_of_step(case: m.Case) -> m.Case:
        kept = tuple(c for c in case.conditions if not _names_root(c))
        links = tuple(link for link in case.links if not _names_root(link))
        return mirrored(replace(case, conditions=kept, links=links), case.step, forms, ways, ())

    other = replace(
        plain,
        cases=tuple(map(image_of_step, plain.cases)),
        forms=tuple(map(image_of_form, plain.forms)),
        hypotheses=tuple(map(image_of_clause, plain.hypotheses)),
        finals=tuple(map(image_of_clause, plain.finals)),
    )
    one, two = ParsingSchema(plain), ParsingSchema(other)
    rng, steps = random.Random(name), 0
    for n in (2, 3, 4):
        pairs = {(d, h) for d in range(1, n + 1) for h in range(1, n + 1) if d != h and rng.random() < 0.7}
        images = {(n + 1 - d, n + 1 - h) for d, h in pairs}
        first, second = (
            one.run(["w"] * n, DRules.from_pairs(pairs)),
            two.run(["w"] * n, DRules.from_pairs(images)),
        )
        assert first.steps_by_name == second.steps_by_name
        steps += first.step_count
        expected = Counter(
            (item.form, _image(item.form, item.values, fields, ways, n)) for item in first.items
        )
        assert expected == Counter((item.form, item.values) for item in second.items)
    assert steps


def _names_root(node: object) -> bool:
    return any(x == m.Lit(0) for x in m.nodes(node)) and (
        isinstance(node, m.Built) or m.asks(node, "licensed")
    )


def _image(form, values, fields, ways, n):  # type: ignore[no-untyped-def]
    images = [turned(v, f.type, n) for v, f in zip(values, fields[form], strict=True)]
    return tuple(images[k] for k in ways[form].sources) if form in ways else tuple(images)


COLLINS = schema_text("collins")


def test_the_image_of_a_step_is_the_one_a_person_writes() -> None:
    schema, findings = read_schema_text(COLLINS)
    assert not findings
    written = schemata.load("collins1996").definition
    blank = [[replace(c, lines=(), types={}) for c in s.cases] for s in (schema, written)]
    assert blank[0] == blank[1]
    assert schema.step_names == ("R-Link", "L-Link")


BETWEEN = schema_text("between")


def test_places_between_words_are_counted_from_the_other_end() -> None:
    schema, findings = read_schema_text(BETWEEN)
    assert not findings
    right = schema.cases[-1]
    assert right.antecedents[0].pattern == m.Pattern("c", tuple(map(m.Var, ("B", "i", "j", "h"))))
    assert right.consequent == m.Pattern("c", tuple(map(m.Var, ("A", "i", "k", "g"))))
    assert [link.terms for link in right.links] == [(m.Var("h"), m.Var("g"))]


@pytest.mark.parametrize(("old", "new", "message"), [
    (
        "mirror step R-Link as L-Link", "mirror step R-Lnk as L-Link",
        "there is no step R-Lnk that could be mirrored",
    ),
    ("mirror step R-Link as L-Link", "mirror step R-Link", "this does not name two steps"),
    ("mirror step R-Link as L-Link", "mirror step R-Link as R-Link", "step R-Link is declared twice"),
    (
        "mirror tree[i, j, h] = tree[j, i, h]\n", "",
        "step R-Link has no mirror image: the mirror image of tree is not declared",
    ),
    (
        "= tree[j, i, h]", "= tree[j, h, i]",
        "this is not a mirror image: applied twice, it does not give the item again",
    ),
    (
        "attach h1 to h2", "attach h1 to h2, attach h2 to 0",
        "step R-Link has no mirror image: it names node 0, the artificial root, which stands on the left",
    ),
])  # fmt: skip
def test_mistakes(written: Written, old: str, new: str, message: str) -> None:
    path = written("collins.schema", COLLINS.replace(old, new))
    schema, findings = check_file(path)
    assert schema is None
    assert message in [finding.message for finding in findings]


def test_rules_of_the_grammar_have_a_direction(written: Written) -> None:
    path = written("more.schema", "schema more extends barbero1998\nmirror step LC-scan as RC-scan\n")
    schema, findings = check_file(path)
    assert schema is None
    assert any("has no mirror image" in finding.message for finding in findings)


def test_a_form_may_be_the_image_of_another() -> None:
    schema = schemata.load("koo-collins2010-model2").definition
    cases = {case.step: case for case in schema.cases}
    images = {
        "L-First": ("word[h]   right[h, m, h - 1]", "left_three[m, h, h]"),
        "L-Next": ("left_three[s, _, h]   pair[h, m, s]", "left_three[m, s, h]"),
        "L-Complete": ("left_row[g, m, h]   left[h, e, m]", "left[g, e, h]"),
    }
    for step, (above, below) in images.items():
        told = [pattern_text(schema, a.pattern) for a in cases[step].antecedents]
        assert ("   ".join(told), pattern_text(schema, cases[step].consequent)) == (above, below)


@pytest.mark.parametrize(
    "said", ["tree[i, j] = bush[i]", "tree[i, j] = bush[i, b]", "bush[i, b] = tree[i, b]"]
)
def test_forms_whose_fields_do_not_correspond_are_no_images(said: str) -> None:
    text = f"""schema small
hypothesis word[i]  where 1 <= i <= n
item tree[i: position, j: position]  where 1 <= i <= j <= n
item bush[i: position{", b: flag" if "b]" in said else ""}]  where 1 <= i <= n
mirror {said}
step A
  word[i]
  ----------
  tree[i, i]
final tree[1, n]
"""
    _, findings = read_schema_text(text)
    assert findings
